const BENCHES = {
  ocr: () => import('./ocr.ts'),
  relevance: () => import('./relevance.ts'),
};

const [name = ''] = process.argv.slice(2);
const load = Object.entries(BENCHES).find(([key]) => key === name)?.[1];
if (load === undefined) {
  console.error(`usage: pnpm bench ${Object.keys(BENCHES).join('|')}`);
  process.exitCode = 2;
} else {
  const { run } = await load();
  await run();
}
