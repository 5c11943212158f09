import { runProgram } from '@sheaf/program';
import { composeSync } from './compose.ts';

await runProgram({ name: 'sync', single: true, probeOffset: 20, build: composeSync });
