/** Names that code of common platforms and test programs uses without an import. */
export const JAVASCRIPT_NAMES: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(globalThis),
  ...words(
    'window document navigator location history localStorage sessionStorage screen self top parent alert confirm',
  ),
  ...words(
    'fetch crypto performance process Buffer global require module exports React JSX NodeJS __dirname __filename',
  ),
  ...words(
    'requestAnimationFrame cancelAnimationFrame requestIdleCallback getComputedStyle matchMedia indexedDB caches',
  ),
  ...words(
    'Node Element Document DocumentFragment Text Comment Window Image Audio Option Range Selection Worker Storage',
  ),
  ...words(
    'File FileReader FileList XMLHttpRequest EventSource WebSocket Notification Location History Navigator Plugin',
  ),
  ...words(
    'MouseEvent KeyboardEvent PointerEvent TouchEvent WheelEvent FocusEvent InputEvent DragEvent UIEvent ErrorEvent',
  ),
  ...words(
    'MutationObserver ResizeObserver IntersectionObserver PerformanceObserver CustomEvent DOMException DOMParser',
  ),
  ...words('NodeList HTMLElement HTMLInputElement HTMLDivElement HTMLButtonElement HTMLFormElement HTMLAnchorElement'),
  ...words('HTMLImageElement HTMLCanvasElement HTMLSelectElement HTMLTextAreaElement SVGElement CSSStyleDeclaration'),
  ...words('Deno Bun chrome browser importScripts postMessage onmessage addEventListener removeEventListener'),
  ...words('describe it test suite expect assert before after beforeEach afterEach beforeAll afterAll vi vitest jest'),
  ...words('fit xit fdescribe xdescribe spyOn jasmine cy Cypress QUnit bench expectTypeOf assertType onTestFinished'),
  ...words('Partial Required Readonly Record Pick Omit Exclude Extract NonNullable Parameters ReturnType InstanceType'),
  ...words('ConstructorParameters Awaited Uppercase Lowercase Capitalize Uncapitalize ThisType NoInfer PropertyKey'),
  ...words(
    'ArrayLike ReadonlyArray ReadonlyMap ReadonlySet PromiseLike Iterable AsyncIterable IterableIterator Generator',
  ),
  ...words('AsyncGenerator AsyncIterator AsyncIterableIterator TemplateStringsArray PropertyDescriptor Disposable'),
]);

function words(text: string): readonly string[] {
  return text.split(' ');
}
