import { createHmac, timingSafeEqual } from 'node:crypto';
import { plainIssue, type Secret, validationError } from '@sheaf/contract';
import type { Position } from '@sheaf/db';
import { z } from 'zod';

const position = z.array(z.string().nullable()).min(1).max(8);
/** Half of SHA-256: a cursor opens no door, so it only has to be hard to make up. */
const SEAL_BYTES = 16;

const notACursor = (): Error =>
  validationError('Invalid query: cursor: does not belong to this list', {
    issues: [plainIssue('cursor', 'must be the next_cursor of a response with the same parameters; start again without it')],
  });

/**
 * Writes positions in lists as texts that clients pass on as they are. Each is sealed with the question that it belongs to, so that what
 * comes back is a position of ours in this very list and needs no further check before it goes into a query.
 */
export class Cursors {
  readonly #secret: Secret;

  constructor(secret: Secret) {
    this.#secret = secret;
  }

  /** The cursor of a position in the list that `question` asks for. */
  write(question: string, at: Position): string {
    const payload = Buffer.from(JSON.stringify(at)).toString('base64url');
    return `${payload}.${this.#sealOf(question, payload).toString('base64url')}`;
  }

  /** The position in a cursor; undefined without one. Throws VALIDATION_ERROR for one of another question, or none of ours. */
  read(question: string, cursor: string | undefined): Position | undefined {
    if (cursor === undefined) return undefined;
    const [payload = '', seal = ''] = cursor.split('.');
    const given = Buffer.from(seal, 'base64url');
    const right = this.#sealOf(question, payload);
    if (given.length !== right.length || !timingSafeEqual(given, right)) throw notACursor();
    return position.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
  }

  #sealOf(question: string, payload: string): Buffer {
    return createHmac('sha256', this.#secret.reveal()).update(`sheaf cursor 1\0${question}\0${payload}`).digest().subarray(0, SEAL_BYTES);
  }
}
