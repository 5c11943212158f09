import type { ByteRange } from '@sheaf/storage';
import type { Request } from 'express';

/**
 * The one range that a request asks for of a file with `sizeBytes`; undefined where the whole is to be answered: for several
 * ranges, other units, mistakes, another file than `If-Range` names, and every method but GET. Not express's own reader of ranges:
 * it refuses the last 100 bytes of a file that has 50.
 */
export const rangeOf = (request: Request, sizeBytes: number, etag: string): ByteRange | 'unsatisfiable' | undefined => {
  if (request.method !== 'GET') return undefined;
  const ifRange = request.get('if-range');
  if (ifRange !== undefined && ifRange !== etag) return undefined;
  const [, first = '', last = ''] = /^\s*bytes\s*=\s*(?:(\d+)\s*)?-\s*(?:(\d+)\s*)?$/i.exec(request.get('range') ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  const start = first === '' ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  return start > end ? 'unsatisfiable' : { start, end };
};
