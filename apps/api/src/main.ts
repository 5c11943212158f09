import { type Program, runProgram } from '@sheaf/program';
import { composeApi } from './compose.ts';

const program: Program = { name: 'api', single: false, probeOffset: undefined, build: (context) => composeApi(context) };

await runProgram(program);
