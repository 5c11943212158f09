import { runProgram } from '@sheaf/program';
import { composeOcrWorker } from './compose.ts';

await runProgram({ name: 'ocr-worker', single: false, probeOffset: 30, build: composeOcrWorker });
