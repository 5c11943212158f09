import { z } from 'zod';
import { rule } from '../issue.ts';

/** Characters as PostgreSQL and people count them, not the halves that JavaScript sees. */
export const characters = (text: string): number => Array.from(text).length;

/** The name of a label, correspondent or type of documents: one line of at most `maximum` characters. */
export const entryName = (maximum: number) =>
  z
    .string()
    .trim()
    .normalize('NFC')
    .refine((name) => characters(name) >= 1 && characters(name) <= maximum, rule('length_between', { minimum: 1, maximum }))
    .refine((name) => !/\p{Cc}/u.test(name), rule('control_characters'));
