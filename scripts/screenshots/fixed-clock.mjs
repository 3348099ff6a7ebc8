// @ts-check
/** Preloaded into the programs of a picture: time begins at SCREENSHOT_TIME (milliseconds since 1970), and goes on. */
const start = Number(process.env['SCREENSHOT_TIME']);
const began = performance.now();
const now = () => Math.floor(start + performance.now() - began);

globalThis.Date = new Proxy(Date, {
  construct: (target, given, newTarget) => Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
