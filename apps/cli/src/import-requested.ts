import { loadForCommand } from '@sheaf/config';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { onParentExit } from './command-line.ts';

/** Started by a process of the service, which has taken the import: its id, and the number under which it is held. */
const [id = '', fence = ''] = process.argv.slice(2);

const stop = (): void => process.exit(EXIT.failed);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
onParentExit(stop);
process.exitCode = await (await import('./import/run-requested.ts')).runRequested({ id, fence: Number(fence) }, loadForCommand().config);
