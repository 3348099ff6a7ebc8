// @ts-check
/** Preloaded into the programs of a picture: time begins at SCREENSHOT_TIME (milliseconds since 1970), and goes on. */
const start = Number(process.env['SCREENSHOT_TIME']);
const RealDate = Date;
const began = performance.now();

class FixedDate extends RealDate {
  /** @param {ConstructorParameters<typeof RealDate>} given */
  constructor(...given) {
    if (given.length === 0) super(FixedDate.now());
    else super(...given);
  }

  static now() {
    return Math.floor(start + performance.now() - began);
  }
}

globalThis.Date = /** @type {DateConstructor} */ (/** @type {unknown} */ (FixedDate));
