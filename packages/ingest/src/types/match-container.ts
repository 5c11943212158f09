import { type Container, openByteSource } from '@sheaf/containers';
import type { FileKind } from '@sheaf/contract';
import { compareKinds, type KindMatch, mismatch } from './kind-match.ts';
import { readOleKind } from './ole-kind.ts';
import { readZipKind } from './zip-kind.ts';

export interface ContainerToMatch {
  readonly content: Uint8Array | string;
  readonly container: Container;
  readonly declared: FileKind;
}

/** Looks into a ZIP archive or a compound file. It is a stranger's: done in a thread of `TypeCheck`. */
export const matchContainer = async ({ content, container, declared }: ContainerToMatch): Promise<KindMatch> => {
  await using source = await openByteSource(content);
  if (container === 'ole') {
    const kind = await readOleKind(source);
    return kind === undefined ? mismatch('an unknown OLE container') : compareKinds(kind.kinds, declared, kind.name);
  }
  const kind = await readZipKind(source);
  return kind === undefined ? mismatch('a ZIP archive') : compareKinds([kind], declared, undefined);
};
