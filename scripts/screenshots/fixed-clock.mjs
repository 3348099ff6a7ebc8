// @ts-check
/** Preloaded into the programs of a picture: time begins at SCREENSHOT_TIME (milliseconds since 1970), and goes on. */
const start = Number(process.env['SCREENSHOT_TIME']);
const began = performance.now();
const now = () => Math.floor(start + performance.now() - began);

<<<<<<< HEAD
globalThis.Date = new Proxy(Date, {
  construct: (target, given, newTarget) => Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
=======
const now = () => Math.floor(start + performance.now() - began);

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [now()] : given, made),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
>>>>>>> 394fd861 (cli: show the first turns of the browser sooner)
});
