import { availableParallelism, cpus, loadavg } from 'node:os';

/** What a figure was measured on. The load tells whether other work ran on the machine when the measurement began. */
export const machineLine = (): string => {
  const [load = 0] = loadavg();
  const date = new Date().toISOString().slice(0, 10);
  return `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), load ${load.toFixed(1)} at the start, ${date}`;
};
