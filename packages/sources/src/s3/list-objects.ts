import { ListObjectsV2Command, type ListObjectsV2CommandOutput, type S3Client, type _Object as S3Object } from '@aws-sdk/client-s3';
import { ledgerReason } from '@sheaf/contract/imports';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import type { Found } from '../batches.ts';
import type { ListingBudget } from '../listing-budget.ts';
import { refusalOfParts, showPath } from '../remote-path.ts';
import { SourceError } from '../source-error.ts';
import { type BucketName, toS3Failure } from './s3-failure.ts';

export interface ListOptions {
  readonly bucket: BucketName;
  /** '' or ending with a slash. */
  readonly prefix: string;
  readonly recursive: boolean;
  readonly budget: ListingBudget;
  readonly signal: AbortSignal;
}

/** All objects below the prefix, page by page. Throws SourceError. */
export const listObjects = async function* (client: S3Client, options: ListOptions): AsyncIterable<readonly Found[]> {
  let token: string | undefined;
  let last = '';
  do {
    const page = await askPage(client, { ...options, token });
    const isEncoded = page.EncodingType === 'url';
    const found = (page.Contents ?? []).map((object) => judge(object, isEncoded, options));
    yield found.filter((one) => one !== undefined);
    const next = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    const newest = lastOf(page);
    checkProgress(page, { token, next, last, newest }, options.bucket);
    [token, last] = [next, newest];
  } while (token !== undefined);
};

/** Keys come in the order of their bytes, so a page that does not go on from the last one would go on for ever. */
interface Progress {
  readonly token: string | undefined;
  readonly next: string | undefined;
  readonly last: string;
  readonly newest: string;
}

const checkProgress = (page: ListObjectsV2CommandOutput, { token, next, last, newest }: Progress, { host }: BucketName): void => {
  const lost = page.IsTruncated === true && (next === undefined || next === '');
  if (!lost && (next === undefined || (next !== token && newest !== last))) return;
  throw new SourceError('protocol', `The listing of ${host} does not end: a page is repeated or the continuation token is missing.`);
};

const lastOf = ({ Contents = [], CommonPrefixes = [] }: ListObjectsV2CommandOutput): string =>
  `${Contents.at(-1)?.Key ?? ''}\n${CommonPrefixes.at(-1)?.Prefix ?? ''}`;

export interface PageOptions extends Pick<ListOptions, 'bucket' | 'prefix' | 'recursive' | 'signal'> {
  readonly token?: string | undefined;
  readonly maxKeys?: number;
}

/** One page of a listing. Throws SourceError, also where the answer is none. */
export const askPage = async (client: S3Client, options: PageOptions): Promise<ListObjectsV2CommandOutput> => {
  const { bucket, prefix, recursive, signal, token, maxKeys } = options;
  const command = new ListObjectsV2Command({
    Bucket: bucket.bucket,
    EncodingType: 'url', // XML cannot hold every key
    ...(prefix === '' ? {} : { Prefix: prefix }),
    ...(recursive ? {} : { Delimiter: '/' }),
    ...(token === undefined ? {} : { ContinuationToken: token }),
    ...(maxKeys === undefined ? {} : { MaxKeys: maxKeys }),
  });
  try {
    const page = await client.send(command, { abortSignal: signal });
    if (page.KeyCount === undefined && page.Contents === undefined && page.Name === undefined) throw new TypeError('No listing');
    return page;
  } catch (error) {
    throw toS3Failure(error, bucket, signal);
  }
};

/** Undefined when it is not properly encoded. */
const decodeKey = (encoded: string): string | undefined => {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return undefined; // bytes that are no UTF-8
  }
};

const refuse = (path: string, reason: LedgerReason, { budget }: ListOptions): Found => {
  budget.takeEntry();
  return { refused: { path: showPath(path), reason, isFolder: false } };
};

const judge = ({ Key = '', Size, LastModified, ETag }: S3Object, isEncoded: boolean, options: ListOptions): Found | undefined => {
  const key = isEncoded ? decodeKey(Key) : Key;
  if (key === undefined) return refuse(Key, ledgerReason('not_unicode'), options);
  if (!key.startsWith(options.prefix)) {
    throw new SourceError('protocol', `${options.bucket.host} lists files outside the prefix of the source.`);
  }
  const path = key.slice(options.prefix.length);
  if (path === '' || path.endsWith('/')) return undefined; // a marker that makes a folder visible in some programs
  const reason = refusalOfParts(path.split('/'));
  if (reason !== undefined) return refuse(path, reason, options);
  if (!options.recursive && path.includes('/')) return undefined;
  options.budget.takeFile(path);
  return { file: { path, sizeBytes: Size, modifiedAt: LastModified, etag: ETag } };
};
