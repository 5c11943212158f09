const BENCHES = {
  api: () => import('./api.ts'),
  analytics: () => import('./analytics.ts'),
  auth: () => import('./auth.ts'),
  barcodes: () => import('./barcodes.ts'),
  einvoices: () => import('./einvoices.ts'),
  events: () => import('./events.ts'),
  facts: () => import('./facts.ts'),
  hosts: () => import('./hosts.ts'),
  import: () => import('./import.ts'),
  ingest: () => import('./ingest.ts'),
  list: () => import('./list.ts'),
  memory: () => import('./memory.ts'),
  ocr: () => import('./ocr.ts'),
  office: () => import('./office.ts'),
  pdf: () => import('./pdf.ts'),
  'rate-limits': () => import('./rate-limits.ts'),
  relevance: () => import('./relevance.ts'),
  sandbox: () => import('./sandbox.ts'),
  scale: () => import('./scale.ts'),
  similar: () => import('./similar.ts'),
  search: () => import('./search.ts'),
  'text-layer': () => import('./text-layer.ts'),
  storage: () => import('./storage.ts'),
  sync: () => import('./sync.ts'),
  trash: () => import('./trash.ts'),
  watch: () => import('./watch.ts'),
  web: () => import('./web.ts'),
};

const [name = '', ...rest] = process.argv.slice(2);
const load = Object.entries(BENCHES).find(([key]) => key === name)?.[1];
if (load === undefined) {
  console.error(`usage: pnpm bench ${Object.keys(BENCHES).join('|')}`);
  process.exitCode = 2;
} else {
  const { run } = await load();
  await run(rest);
}
