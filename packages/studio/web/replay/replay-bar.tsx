import { memo, useId } from 'react';
import { Icon } from '../parts/icon.tsx';
import type { Step } from './steps.ts';
import { type Playing, SPEEDS, type Speed } from './use-playing.ts';

export interface ReplayBarProps {
  readonly steps: readonly Step[];
  readonly current: number;
  readonly playing: Playing;
  readonly onGo: (to: number) => void;
}

/** All steps as bars, as high as what they changed, and the buttons to go through them. */
export function ReplayBar({ steps, current, playing, onGo }: ReplayBarProps) {
  const { isPlaying, setPlaying, speed, setSpeed } = playing;
  const last = steps.length - 1;
  const id = useId();
  return (
    <div className="replay-bar">
      <button type="button" className="button small" disabled={current === 0} onClick={() => onGo(current - 1)}>
        Previous
      </button>
      <button
        type="button"
        className="button small main"
        onClick={() => {
          if (current === last) onGo(0);
          setPlaying((now) => !now);
        }}
      >
        <Icon name={isPlaying ? 'pause' : 'play'} />
        {isPlaying ? 'Pause' : 'Play'}
      </button>
      <button type="button" className="button small" disabled={current === last} onClick={() => onGo(current + 1)}>
        Next
      </button>
      <div className="scrubber">
        <Bars steps={steps} current={current} />
        <input
          type="range"
          aria-label="Step"
          aria-valuetext={`${current + 1} of ${steps.length}`}
          min={0}
          max={last}
          value={current}
          disabled={last === 0}
          onChange={(event) => onGo(Number(event.target.value))}
        />
      </div>
      <span className="place" role="status">
        {current + 1} / {steps.length}
      </span>
      <label className="hidden" htmlFor={id}>
        Speed
      </label>
      <select
        id={id}
        className="field"
        value={speed}
        onChange={(event) => setSpeed(() => Number(event.target.value) as Speed)}
      >
        {SPEEDS.map((one) => (
          <option key={one} value={one}>
            {one}×
          </option>
        ))}
      </select>
    </div>
  );
}

const HEIGHT = 20;

const Bars = memo(function Bars({ steps, current }: Pick<ReplayBarProps, 'steps' | 'current'>) {
  const sizes = steps.map(({ added, removed }) => Math.log2(2 + added + removed));
  const most = Math.max(...sizes);
  return (
    <svg viewBox={`0 0 ${steps.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {sizes.map((size, index) => {
        const height = (HEIGHT * size) / most;
        const step = steps[index] as Step;
        const state = index === current ? 'is-current' : step.testResult === 'fail' ? 'is-failing' : '';
        return <rect key={step.id} className={state} x={index + 0.1} width={0.8} y={HEIGHT - height} height={height} />;
      })}
    </svg>
  );
});
