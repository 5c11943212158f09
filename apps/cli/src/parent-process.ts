/** Calls `stop` when the process is gone that has started this one: somebody else takes its work over. */
export const onParentExit = (stop: () => void): void => {
  if (process.send === undefined) return;
  process.once('disconnect', stop);
  process.channel?.unref();
};
