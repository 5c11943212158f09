const OLE = 'd0cf11e0a1b11ae1';
const ZIP = ['504b0304', '504b0506']; // the second is an archive without entries

export type Container = 'ole' | 'zip';

/** The container whose first bytes these are. */
export const findContainer = (head: Uint8Array): Container | undefined => {
  const start = Buffer.from(head.subarray(0, 8)).toString('hex');
  if (start === OLE) return 'ole';
  return ZIP.some((signature) => start.startsWith(signature)) ? 'zip' : undefined;
};
