import { z } from 'zod';
import { rowId } from './row-id.ts';

/** Items in one text, parted by commas, as query strings and forms have them. */
const items = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

/** At most `max` ids. */
export const idList = (max: number) => items.pipe(z.array(rowId).max(max));

/** At most `max` short texts. */
export const textList = (max: number) => items.pipe(z.array(z.string().max(200)).max(max));
