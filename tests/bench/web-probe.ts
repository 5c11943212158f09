/**
 * What the bench of the web client runs in the page, as text: it is of another world than the bench itself, with a window and no modules. Each begins
 * before anything of the page does.
 */

/** Notes when the first element is painted that `selector` finds, in milliseconds since the navigation began: `probe.usableAt`. */
export const noteUsable = (selector: string): string => `{
  const probe = (globalThis.probe ??= {});
  const look = () => {
    if (probe.usableAt !== undefined) return;
    if (document.querySelector(${JSON.stringify(selector)}) === null) return;
    watch.disconnect();
    // in the next picture it is drawn, in the one after it that is over
    requestAnimationFrame(() => requestAnimationFrame(() => { probe.usableAt = performance.now(); }));
  };
  const watch = new MutationObserver(look);
  watch.observe(document, { subtree: true, childList: true });
}`;

/** The scripts that were begun to load until a moment, by their addresses' ends. */
export const scriptsUntil = (atMs: string): string => `performance.getEntriesByType('resource')
  .filter(({ name, startTime }) => /\\.m?js$/.test(name) && startTime <= ${atMs})
  .map(({ name }) => new URL(name).pathname)`;

/** Notes how long each picture took, and all work that kept the page from drawing: `probe.frames`, `probe.longTasks`. */
export const NOTE_FRAMES = `{
  const probe = (globalThis.probe ??= {});
  probe.frames = [];
  probe.longTasks = [];
  let before = performance.now();
  probe.restart = () => { probe.frames = []; probe.longTasks = []; before = performance.now(); };
  const frame = (now) => { probe.frames.push(now - before); before = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
  new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) probe.longTasks.push(duration); }).observe({ type: 'longtask' });
}`;

/** Notes when the news of a document arrive over the socket, and when the list of uploads shows them: `probe.told`, `probe.shown`. */
export const NOTE_UPLOADS = `{
  const probe = (globalThis.probe ??= {});
  probe.told = [];
  probe.shown = [];
  globalThis.WebSocket = class extends WebSocket {
    constructor(...given) {
      super(...given);
      this.addEventListener('message', ({ data }) => {
        const at = performance.now();
        if (typeof data !== 'string' || !data.startsWith('42["ocr_progress"')) return;
        const { document_id: document, status } = JSON.parse(data.slice(2))[1].data;
        probe.told.push({ document, status, at });
      });
    }
  };
  const note = (line) => {
    const document = /^\\/documents\\/([\\w-]+)$/.exec(line.querySelector('a')?.getAttribute('href') ?? '')?.[1];
    const last = probe.shown.at(-1);
    if (document === undefined || (last?.document === document && last.state === line.dataset.upload)) return;
    probe.shown.push({ document, state: line.dataset.upload, at: performance.now() });
  };
  new MutationObserver((records) => {
    const lines = new Set();
    for (const { target, addedNodes } of records) {
      const line = (target.nodeType === 1 ? target : target.parentElement)?.closest('[data-upload]');
      if (line) lines.add(line);
      for (const node of addedNodes) if (node.nodeType === 1) for (const inner of node.querySelectorAll('[data-upload]')) lines.add(inner);
    }
    for (const line of lines) note(line);
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['data-upload'] });
}`;
