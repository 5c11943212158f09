import { runProgram } from '@sheaf/program';
import { composeWatcher } from './compose.ts';

await runProgram({ name: 'watcher', single: true, probeOffset: 10, build: composeWatcher });
