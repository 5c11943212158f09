/** The processor time of this thread so far, in milliseconds: unlike that of a clock, it is the same on a busy machine. */
export const threadCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
