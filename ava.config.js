export default {
  files: ['tests/{unit,integration,spec,e2e,faults}/**/*.test.ts'],
  extensions: ['ts'],
  workerThreads: false,
  timeout: '3m',
};
