import { z } from 'zod';
import { rowId } from './row-id.ts';

/** Ids in one text, parted by commas, as query strings and forms have them; at most `max`. */
export const idList = (max: number) =>
  z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((id) => id.trim())
        .filter((id) => id !== ''),
    )
    .pipe(z.array(rowId).max(max));
