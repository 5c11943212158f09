import { runProgram } from '@sheaf/program';

// No source can be configured yet; the process holds its place, so that a second one is refused, and answers its probes.
await runProgram({ name: 'sync', single: true, probeOffset: 20, build: () => ({ components: [] }) });
