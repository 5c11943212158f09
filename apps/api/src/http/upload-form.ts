import type { Readable } from 'node:stream';
import { AppError, validationError } from '@sheaf/contract';
import busboy from 'busboy';
import type { Request } from 'express';

export interface UploadFormLimits {
  /** Of one file; more of it is never read. */
  readonly maxFileBytes: number;
}

const MAX_FIELDS = 20;
const MAX_FIELD_BYTES = 64 * 1024;
const MAX_HEADER_PAIRS = 50;
/** What boundaries, headers and fields may add to the file. */
const ENVELOPE_BYTES = 2 * 1024 * 1024;

export interface UploadedFile {
  readonly filename: string;
  readonly body: Readable;
}

/** The fields of a form, known when all of it was read: they may stand behind the file. */
export type LateFields = () => Promise<Readonly<Record<string, string>>>;

const openParser = (request: Request): busboy.Busboy => {
  try {
    return busboy({
      headers: request.headers,
      defParamCharset: 'utf8', // or `Größe.txt` is garbled
      preservePath: false,
      limits: { fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES, files: 1, parts: MAX_FIELDS + 1, headerPairs: MAX_HEADER_PAIRS },
    });
  } catch (error) {
    throw validationError('Send the file as multipart/form-data', {
      content_type: request.get('content-type') ?? null,
      reason: error instanceof Error ? error.message : '',
    });
  }
};

const refuseTooLong = (request: Request, { maxFileBytes }: UploadFormLimits): void => {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maxFileBytes + ENVELOPE_BYTES) {
    throw validationError(`The upload is larger than the limit of ${Math.round(maxFileBytes / 1024 ** 2)} MB`, {
      reason: 'too_large',
      max_bytes: maxFileBytes,
    });
  }
};

const malformed = (cause: unknown): AppError =>
  new AppError('VALIDATION_ERROR', 'The form is not complete or not well formed; send it again', { code: 'INCOMPLETE_FILE', cause });

/** Cuts the connection of a sender who goes on long after he was refused; until then the rest of the body is thrown away. */
const boundBody = (request: Request, maxBytes: number): void => {
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) request.destroy();
  });
};

/** Resolves when the whole form went through `parser`. Not a `pipeline`: that would destroy the socket the answer has to go out on. */
const readInto = (request: Request, parser: busboy.Busboy): Promise<void> =>
  new Promise((resolve, reject) => {
    parser.once('close', resolve);
    parser.once('error', (error) => {
      request.unpipe(parser);
      request.resume();
      reject(malformed(error));
    });
    request.once('close', () => {
      if (!request.complete) parser.destroy(new Error('the connection was closed'));
    });
    request.pipe(parser);
  });

/** Collects the text fields of a form and what is wrong with it. */
const collectFields = (parser: busboy.Busboy): { fields: Record<string, string>; problems: AppError[] } => {
  const fields: Record<string, string> = {};
  const problems: AppError[] = [];
  parser.on('field', (name, value, { nameTruncated, valueTruncated }) => {
    if (nameTruncated || valueTruncated)
      problems.push(validationError(`The field ${name.slice(0, 100)} is too long`, { limit_bytes: MAX_FIELD_BYTES }));
    else if (Object.hasOwn(fields, name)) problems.push(validationError(`The field ${name.slice(0, 100)} stands twice`));
    else Object.defineProperty(fields, name, { value, enumerable: true }); // also for a field called __proto__
  });
  parser.on('fieldsLimit', () => problems.push(validationError('The form has too many fields', { limit: MAX_FIELDS })));
  parser.on('partsLimit', () => problems.push(validationError('The form has too many parts', { limit: MAX_FIELDS + 1 })));
  parser.on('filesLimit', () => problems.push(validationError('Send one file at a time here')));
  return { fields, problems };
};

/**
 * Reads a form with one file in the field `file`. `take` gets the file as a stream while the form is still arriving, and its
 * answer is the result: a file that is refused early is answered early. Throws VALIDATION_ERROR for everything that is wrong
 * with the form itself; what `take` throws is passed on.
 */
export const readUploadForm = <T>(
  request: Request,
  limits: UploadFormLimits,
  take: (file: UploadedFile, late: LateFields) => Promise<T>,
): Promise<T> => {
  boundBody(request, 2 * limits.maxFileBytes + ENVELOPE_BYTES);
  refuseTooLong(request, limits);
  const parser = openParser(request);
  const { fields, problems } = collectFields(parser);
  return new Promise((resolve, reject) => {
    let isTaken = false;
    parser.on('file', (name, body, { filename }) => {
      body.on('error', () => {}); // told by whoever reads it; nobody may be reading any more when the connection ends
      if (name === 'file') {
        isTaken = true;
        take({ filename: filename ?? '', body }, late)
          .finally(() => body.resume()) // what was not taken is thrown away
          .then(resolve, reject);
      } else {
        problems.push(validationError(`The file must be in the field "file", not "${name.slice(0, 100)}"`));
        body.resume();
      }
    });
    const read = readInto(request, parser);
    const late: LateFields = async () => {
      await read;
      if (problems[0] !== undefined) throw problems[0];
      return fields;
    };
    read.then(
      () =>
        isTaken ||
        reject(
          problems[0] ??
            validationError('The form has no file in the field "file"', { issues: [{ path: 'file', message: 'is required' }] }),
        ),
      (error: unknown) => isTaken || reject(error as Error),
    );
  });
};
