import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import type { StoredObject } from '../storage.ts';
import type { Bucket } from './bucket.ts';
import { StrangeAnswer } from './s3-failure.ts';

/** All objects below `folder` in our part of the bucket, page by page; their keys as far as they are ours. */
export const listObjects = async function* (bucket: Bucket, folder: string): AsyncIterable<StoredObject> {
  const { bucket: Bucket, prefix } = bucket.settings;
  let token: string | undefined;
  do {
    const page = await askPage(bucket, { Bucket, Prefix: `${prefix}${folder}`, ContinuationToken: token });
    for (const { Key = '', Size = 0, LastModified = new Date(0) } of page.Contents ?? []) {
      const name = page.EncodingType === 'url' ? decodeName(Key) : Key;
      if (name?.startsWith(`${prefix}${folder}`) === true)
        yield { key: name.slice(prefix.length), sizeBytes: Size, modifiedAt: LastModified };
    }
    token = page.next;
  } while (token !== undefined);
};

const askPage = (bucket: Bucket, question: { Bucket: string; Prefix: string; ContinuationToken: string | undefined }) =>
  bucket.ask({ action: 'list' }, async (abortSignal) => {
    const command = new ListObjectsV2Command({ ...question, EncodingType: 'url' }); // XML cannot hold every name
    const page = await bucket.client.send(command, { abortSignal });
    const next = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    const isLost = page.IsTruncated === true && (next === undefined || next === question.ContinuationToken);
    if (page.Name === undefined || isLost) throw new StrangeAnswer('no listing, or one without an end');
    return { ...page, next };
  });

/** Undefined where it is no UTF-8, and so not ours. */
const decodeName = (encoded: string): string | undefined => {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
};
