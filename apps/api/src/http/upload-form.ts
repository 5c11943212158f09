import { AsyncLocalStorage } from 'node:async_hooks';
import type { Readable } from 'node:stream';
import { AppError, codedError, makeIssue, reasonedError, validationError } from '@sheaf/contract';
import busboy from 'busboy';
import type { Request } from 'express';

export interface UploadFormLimits {
  /** Of one file; more of it is never read. */
  readonly maxFileBytes: number;
}

/** How a form differs from ours, where it is that of another interface. */
export interface UploadFormShape {
  /** The field of the file; `file` where nothing is said. */
  readonly fileField?: string;
  /** Fields that may stand several times: their values come with commas between them. */
  readonly repeatable?: ReadonlySet<string>;
  readonly maxFields?: number;
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

const openParser = (request: Request, maxFiles: number, maxFields = MAX_FIELDS): busboy.Busboy => {
  try {
    return busboy({
      headers: request.headers,
      defParamCharset: 'utf8', // or `Größe.txt` is garbled
      preservePath: false,
      limits: {
        fields: maxFields,
        fieldSize: MAX_FIELD_BYTES,
        files: maxFiles,
        parts: maxFields + maxFiles,
        headerPairs: MAX_HEADER_PAIRS,
      },
    });
  } catch (error) {
    throw validationError('Send the file as multipart/form-data.', {
      content_type: request.get('content-type') ?? null,
      problem: error instanceof Error ? error.message : '',
    });
  }
};

const refuseTooLong = (request: Request, maxBytes: number): void => {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maxBytes + ENVELOPE_BYTES) {
    throw reasonedError('VALIDATION_ERROR', 'too_large', { max_bytes: maxBytes });
  }
};

const malformed = (cause: unknown): AppError => codedError('VALIDATION_ERROR', 'INCOMPLETE_FILE', {}, cause);

/**
 * Resolves when the whole form went through `parser`, and rejects where it is longer than `maxBytes`. Not a `pipeline`: that would destroy
 * the socket the answer has to go out on.
 */
const readInto = (request: Request, parser: busboy.Busboy, maxBytes: number): Promise<void> =>
  new Promise((resolve, reject) => {
    let bytes = 0;
    const count = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > maxBytes) parser.destroy(reasonedError('VALIDATION_ERROR', 'too_large', { max_bytes: maxBytes }));
    };
    const end = (): void => {
      if (!request.readableEnded) parser.destroy(new Error('the rest of the form is not read'));
    };
    parser.once('close', resolve);
    parser.once('error', (error) => {
      request.off('data', count);
      request.unpipe(parser);
      request.resume();
      reject(error instanceof AppError ? error : malformed(error));
    });
    parser.once('unpipe', end); // the answer is out before the end of the form
    request.once('close', end);
    request.on('data', count);
    request.pipe(parser);
  });

const tooManyFiles = (maxFiles: number): AppError =>
  maxFiles === 1
    ? reasonedError('VALIDATION_ERROR', 'too_many_files', { limit: maxFiles })
    : reasonedError('VALIDATION_ERROR', 'too_many_files', { limit: maxFiles });

const wrongField = (name: string, expected: string): AppError =>
  validationError(`The file must be in the field "${expected}", not "${name.slice(0, 100)}".`);

const noFile = (expected: string): AppError =>
  validationError(`The form has no file in the field "${expected}".`, { issues: [makeIssue(expected, 'required')] });

const NOTHING: ReadonlySet<string> = new Set();

/** Collects the text fields of a form and what is wrong with it. */
const collectFields = (
  parser: busboy.Busboy,
  maxFiles: number,
  { repeatable = NOTHING, maxFields = MAX_FIELDS }: UploadFormShape = {},
): { fields: Record<string, string>; problems: AppError[] } => {
  const fields: Record<string, string> = {};
  const problems: AppError[] = [];
  parser.on('field', (name, value, { nameTruncated, valueTruncated }) => {
    if (nameTruncated || valueTruncated)
      problems.push(validationError(`The field ${name.slice(0, 100)} is too long.`, { limit_bytes: MAX_FIELD_BYTES }));
    else if (Object.hasOwn(fields, name) && repeatable.has(name)) fields[name] = `${fields[name] ?? ''},${value}`;
    else if (Object.hasOwn(fields, name)) problems.push(validationError(`The field ${name.slice(0, 100)} is duplicated.`));
    else Object.defineProperty(fields, name, { value, enumerable: true, writable: true }); // also for a field called __proto__
  });
  parser.on('fieldsLimit', () => problems.push(validationError('The form has too many fields.', { limit: maxFields })));
  parser.on('partsLimit', () => problems.push(validationError('The form has too many parts.', { limit: maxFields + maxFiles })));
  parser.on('filesLimit', () => problems.push(tooManyFiles(maxFiles)));
  return { fields, problems };
};

/**
 * Reads a form with one file in the field `file`, or another one that `limits` names. `take` gets the file as a stream while the form is still arriving, and its
 * answer is the result: a file that is refused early is answered early. Throws VALIDATION_ERROR for everything that is wrong
 * with the form itself; what `take` throws is passed on.
 */
export const readUploadForm = <T>(
  request: Request,
  { fileField = 'file', ...limits }: UploadFormLimits & UploadFormShape,
  take: (file: UploadedFile, late: LateFields) => Promise<T>,
): Promise<T> => {
  const takeHere = AsyncLocalStorage.bind(take); // files come with events of the socket, which know nothing of this request
  refuseTooLong(request, limits.maxFileBytes);
  const parser = openParser(request, 1, limits.maxFields);
  const { fields, problems } = collectFields(parser, 1, limits);
  return new Promise((resolve, reject) => {
    let isTaken = false;
    parser.on('file', (name, body, { filename }) => {
      body.on('error', () => {}); // told by whoever reads it; nobody may be reading any more when the connection ends
      if (name === fileField) {
        isTaken = true;
        takeHere({ filename: filename ?? '', body }, late)
          .finally(() => body.resume()) // what was not taken is thrown away
          .then(resolve, reject);
      } else {
        problems.push(wrongField(name, fileField));
        body.resume();
      }
    });
    const read = readInto(request, parser, 2 * limits.maxFileBytes + ENVELOPE_BYTES);
    const late: LateFields = async () => {
      await read;
      if (problems[0] !== undefined) throw problems[0];
      return fields;
    };
    read.then(
      () => isTaken || reject(problems[0] ?? noFile(fileField)),
      (error: unknown) => isTaken || reject(error as Error),
    );
  });
};

/**
 * Reads a form with several files in the field `files`, giving each to `take` as it arrives. Answers only when the whole form was
 * read and nothing is wrong with it: throws VALIDATION_ERROR for a file too many, no file at all, and all else that is wrong
 * with the form itself, so that nothing has to come of what was taken until then.
 */
export const readFilesForm = async <T>(
  request: Request,
  { maxFileBytes, maxFiles }: UploadFormLimits & { readonly maxFiles: number },
  take: (file: UploadedFile) => Promise<T>,
): Promise<{ files: T[]; fields: Readonly<Record<string, string>> }> => {
  refuseTooLong(request, maxFiles * maxFileBytes);
  const takeHere = AsyncLocalStorage.bind(take);
  const parser = openParser(request, maxFiles);
  const { fields, problems } = collectFields(parser, maxFiles);
  const taken: Promise<T>[] = [];
  parser.on('file', (name, body, { filename }) => {
    body.on('error', () => {}); // told by whoever reads it
    if (name !== 'files') problems.push(wrongField(name, 'files'));
    if (problems.length > 0) {
      body.resume();
      return;
    }
    const taking = takeHere({ filename: filename ?? '', body }).finally(() => body.resume());
    taking.catch(() => {}); // told below, when the form was read
    taken.push(taking);
  });
  const [form] = await Promise.allSettled([readInto(request, parser, (maxFiles + 1) * maxFileBytes + ENVELOPE_BYTES)]);
  // waited for in any case: nobody may still write to what the caller removes when this throws
  const files = await Promise.allSettled(taken);
  if (form.status === 'rejected') throw form.reason;
  if (problems[0] !== undefined) throw problems[0];
  if (files.length === 0) throw noFile('files');
  return { files: files.map(valueOf), fields };
};

const valueOf = <T>(settled: PromiseSettledResult<T>): T => {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
};
