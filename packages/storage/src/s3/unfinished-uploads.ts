import { AbortMultipartUploadCommand, ListMultipartUploadsCommand, type ListMultipartUploadsCommandOutput } from '@aws-sdk/client-s3';
import type { Bucket } from './bucket.ts';
import { isNotImplemented, statusOf } from './s3-failure.ts';

/** Where the next page goes on. */
interface Marker {
  readonly KeyMarker?: string | undefined;
  readonly UploadIdMarker?: string | undefined;
}

interface Unfinished {
  readonly name: string;
  readonly uploadId: string;
  readonly begunAt: Date;
}

/** Gives up the uploads of `isOurs` that were begun before `before` and not finished; returns how many. */
export const abortUnfinished = async (bucket: Bucket, before: Date, isOurs: (key: string) => boolean): Promise<number> => {
  const { bucket: Bucket, prefix } = bucket.settings;
  let aborted = 0;
  for (const { name, uploadId, begunAt } of await listUnfinished(bucket)) {
    if (begunAt >= before || !isOurs(name.slice(prefix.length))) continue;
    const command = new AbortMultipartUploadCommand({ Bucket, Key: name, UploadId: uploadId });
    await bucket.ask({ action: 'delete' }, async (abortSignal) => {
      try {
        await bucket.client.send(command, { abortSignal });
      } catch (error) {
        if (statusOf(error) !== 404) throw error; // finished or given up at this moment
      }
    });
    aborted += 1;
  }
  return aborted;
};

/** None where the service does not know such a list. */
const listUnfinished = async (bucket: Bucket): Promise<Unfinished[]> => {
  const { bucket: Bucket, prefix: Prefix } = bucket.settings;
  const found: Unfinished[] = [];
  let next: Marker | undefined = {};
  while (next !== undefined) {
    const page: ListMultipartUploadsCommandOutput = await askPage(bucket, { Bucket, Prefix, ...next });
    for (const { Key = '', UploadId = '', Initiated = new Date() } of page.Uploads ?? [])
      if (Key.startsWith(Prefix)) found.push({ name: Key, uploadId: UploadId, begunAt: Initiated });
    next = markerAfter(page, next);
  }
  return found;
};

const askPage = (bucket: Bucket, question: { Bucket: string; Prefix: string } & Marker): Promise<ListMultipartUploadsCommandOutput> =>
  bucket.ask({ action: 'list' }, async (abortSignal) => {
    try {
      return await bucket.client.send(new ListMultipartUploadsCommand(question), { abortSignal });
    } catch (error) {
      if (isNotImplemented(error)) return { $metadata: {} };
      throw error;
    }
  });

const markerAfter = (page: ListMultipartUploadsCommandOutput, { KeyMarker, UploadIdMarker }: Marker): Marker | undefined => {
  const next = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
  const isSame = next.KeyMarker === KeyMarker && next.UploadIdMarker === UploadIdMarker;
  return page.IsTruncated === true && next.KeyMarker !== undefined && !isSame ? next : undefined;
};
