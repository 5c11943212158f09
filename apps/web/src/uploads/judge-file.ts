import { findKindByExtension } from '@sheaf/vocabulary/file-kinds';
import type { Answer } from '../interface/call.ts';
import { Problem } from '../interface/problem.ts';

type Limits = Answer<'get /api/upload-limits'>;

const NOT_SENT = -1;

const refusal = (reason: string, details: Readonly<Record<string, unknown>> = {}): Problem =>
  new Problem({ status: NOT_SENT, code: 'VALIDATION_ERROR', message: reason, details: { reason, ...details } });

const extensionOf = (name: string): string => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';

/** Why the service would refuse the file, as it would say it; undefined where it has to see more of it than its name and size. */
export const judgeFile = ({ name, size }: Pick<File, 'name' | 'size'>, limits: Limits): Problem | undefined => {
  const extension = extensionOf(name);
  if (findKindByExtension(extension) !== undefined && !limits.extensions.includes(extension))
    return refusal('type_not_allowed', { extension, allowed_types: limits.extensions });
  if (size === 0) return refusal('empty');
  return size > limits.max_file_bytes ? refusal('too_large', { max_bytes: limits.max_file_bytes }) : undefined;
};
