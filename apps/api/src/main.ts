import { type Program, runProgram } from '@sheaf/program';
import { makeApi } from './api.ts';

const program: Program = { name: 'api', single: true, probeOffset: undefined, build: makeApi };

await runProgram(program);
