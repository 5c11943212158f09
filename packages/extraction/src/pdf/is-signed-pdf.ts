import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { storableText } from '@sheaf/contract/text';
import { ExchangeFolder, runTool, type ToolOutcome } from '@sheaf/sandbox';
import { type ToolSize, toolLimits } from '../extraction.ts';
import { findProgram } from '../find-program.ts';

/** What every signature has, where it is never compressed: which bytes it covers (ISO 32000-1, 12.8.1). */
const MARK = Buffer.from('/ByteRange');

/** Whether the file may have signatures. Most have none, which is known without starting a program. */
const hasMark = async (path: string): Promise<boolean> => {
  let tail = Buffer.alloc(0);
  for await (const chunk of createReadStream(path)) {
    const bytes = Buffer.concat([tail, chunk as Buffer]);
    if (bytes.includes(MARK)) return true;
    tail = bytes.subarray(Math.max(0, bytes.length - MARK.length + 1));
  }
  return false;
};

/** Whether a PDF has signatures, valid or not; false where that cannot be found out. Throws the signal's reason. */
export const isSignedPdf = async (file: FileToLookInto): Promise<boolean> => {
  if (!(await hasMark(file.path))) return false;
  const found = await readSignatures(file);
  return found.ok && found.signatures.length > 0;
};

/** Why a signature does not hold. */
type SignatureProblem = 'document_changed' | 'invalid' | 'unreadable' | 'not_verified';

/** A signature in a PDF. Whether its certificate is to be trusted is not looked at. */
interface PdfSignature {
  /** The name in the certificate. */
  readonly signer: string | undefined;
  readonly signedAt: Date | undefined;
  /** Whether what it covers is unchanged since it was signed. */
  readonly isValid: boolean;
  /** Whether nothing was added to the file since. */
  readonly coversWholeDocument: boolean;
  /** Undefined where it is valid. */
  readonly problem: SignatureProblem | undefined;
}

export type PdfSignatures =
  | { readonly ok: true; readonly signatures: readonly PdfSignature[] }
  | { readonly ok: false; readonly problem: SignaturesUnreadable };

type SignaturesUnreadable = 'tool_missing' | 'timeout' | 'encrypted' | 'damaged';

interface FileToLookInto {
  readonly path: string;
  readonly scratchPath: string;
  readonly limits: ToolSize;
  readonly signal: AbortSignal;
}

const LIMIT_MS = 30_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;
const OPEN_FILES = 64;
const MAX_SIGNATURES = 100;
const MAX_NAME_CHARS = 200;
const NO_SIGNATURES = 2;

const VALID = 'Signature is Valid.';
const PROBLEMS: Readonly<Record<string, SignatureProblem>> = {
  'Signature is Invalid.': 'invalid',
  'Digest Mismatch.': 'document_changed',
  "Document isn't signed or corrupted data.": 'unreadable',
};

/** The signatures of a PDF, by pdfsig in a sandbox, which asks nobody about certificates. Throws the signal's reason. */
export const readSignatures = async (file: FileToLookInto): Promise<PdfSignatures> => {
  const program = await findProgram('pdfsig');
  if (program === undefined) return { ok: false, problem: 'tool_missing' };
  await using exchange = await ExchangeFolder.open(join(file.scratchPath, 'signatures'));
  const path = await exchange.show(file.path, '.pdf');
  const run = (...args: readonly string[]): Promise<ToolOutcome> =>
    runTool({
      file: program,
      args: ['-nocert', '-no-ocsp', ...args, path],
      cwd: exchange.path,
      access: { readOnly: [path] },
      env: { TZ: 'UTC' },
      limits: toolLimits(file.limits, OPEN_FILES),
      timeoutMs: LIMIT_MS,
      signal: file.signal,
      maxOutputBytes: MAX_OUTPUT_BYTES,
    });
  const listed = await run();
  file.signal.throwIfAborted();
  if (listed.kind === 'failed' && listed.exitCode === NO_SIGNATURES) return { ok: true, signatures: [] };
  if (listed.kind !== 'done') return { ok: false, problem: problemOf(listed) };
  const signatures = parseSignatures(listed.stdout.toString('utf8'));
  // A name may hold lines that look like another signature: then there are more of them than in the file.
  const counted = await run('-dump');
  file.signal.throwIfAborted();
  const count = counted.kind === 'done' ? countOf(counted.stdout.toString('utf8')) : undefined;
  return {
    ok: true,
    signatures: count === signatures.length ? signatures.filter(isSigned) : Array.from({ length: count ?? 1 }, () => UNREADABLE),
  };
};

const problemOf = (run: ToolOutcome): SignaturesUnreadable => {
  if (run.kind === 'missing') return 'tool_missing';
  if (run.kind === 'timeout') return 'timeout';
  return run.kind === 'failed' && /incorrect password/i.test(run.stderr) ? 'encrypted' : 'damaged';
};

const countOf = (output: string): number | undefined => {
  const count = Number(/^Dumping Signatures: (\d{1,6})$/m.exec(output)?.[1]);
  return Number.isNaN(count) ? undefined : Math.min(count, MAX_SIGNATURES);
};

const UNREADABLE: PdfSignature = {
  signer: undefined,
  signedAt: undefined,
  isValid: false,
  coversWholeDocument: false,
  problem: 'unreadable',
};

/** A field to be signed, which nobody has. */
const UNSIGNED: PdfSignature = { ...UNREADABLE, problem: 'not_verified' };
const isSigned = (signature: PdfSignature): boolean => signature !== UNSIGNED;

const BLOCK = /^Signature #\d+:$/m;

/** What pdfsig prints of each signature. Of lines that come twice, the names of people hold the first. */
const parseSignatures = (output: string): PdfSignature[] =>
  output
    .split(BLOCK, MAX_SIGNATURES + 1)
    .slice(1)
    .map(parseBlock);

const parseBlock = (block: string): PdfSignature => {
  const lines = block.split('\n');
  const last = (label: string): string | undefined => lines.findLast((line) => line.startsWith(label))?.slice(label.length);
  const verdict = last('  - Signature Validation: ');
  if (verdict === undefined) return UNSIGNED;
  const name = lines.find((line) => line.startsWith(SIGNER))?.slice(SIGNER.length);
  const coverage = lines.findLast((line) => line === COVERS_ALL || line === COVERS_PART);
  return {
    signer: name === undefined || name.trim() === '' ? undefined : storableText(name).toWellFormed().trim().slice(0, MAX_NAME_CHARS),
    signedAt: dateOf(last('  - Signing Time: ')),
    isValid: verdict === VALID,
    coversWholeDocument: coverage === COVERS_ALL,
    problem: verdict === VALID ? undefined : (PROBLEMS[verdict] ?? 'not_verified'),
  };
};

const SIGNER = '  - Signer Certificate Common Name: ';
const COVERS_ALL = '  - Total document signed';
const COVERS_PART = '  - Not total document signed';

const DATE = /^([A-Z][a-z]{2} \d{2} \d{4} \d{2}:\d{2}:\d{2})$/;

const dateOf = (text: string | undefined): Date | undefined => {
  const date = DATE.test(text ?? '') ? new Date(`${text} UTC`) : undefined;
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date;
};
