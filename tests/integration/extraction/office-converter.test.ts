import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { convertCold, findOffice, OfficeConverter, type OfficeProgram } from '@sheaf/extraction/testing/office';
import { silentLogger } from '@sheaf/process';
import { hasOwnTemporaryFolder } from '@sheaf/sandbox';
import test, { type TestFn } from 'ava';
import { extractionLimits } from '../../support/extraction.ts';
import { fullOnly } from '../../support/full-run.ts';
import { waitFor } from '../../support/wait-for.ts';

const office = await findOffice();
if (office === undefined) process.stderr.write('skipped: LibreOffice is not installed\n');
const run = (office === undefined ? test.skip : test) as TestFn;

const openFolder = async (name = 'sheaf-office-') => {
  const path = await mkdtemp(join(tmpdir(), name));
  await writeFile(join(path, 'note.rtf'), '{\\rtf1 hello}');
  return { path, input: join(path, 'note.rtf'), [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
};

const limit = (timeoutMs = 60_000) => ({ timeoutMs, signal: new AbortController().signal });

/** The offices that were started from a folder, by their profile; not the programs that put them into their sandbox. */
const officesOf = async (folder: string): Promise<number[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map(async (pid) => ({ pid: Number(pid), line: await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '') })),
  );
  const isOffice = (line: string): boolean => line.split('\0')[0]?.endsWith('soffice.bin') === true;
  return lines.filter(({ line }) => isOffice(line) && line.includes(folder)).map(({ pid }) => pid);
};

const open = (folder: string, program = office, rest: { readonly idleMs?: number } = {}): OfficeConverter => {
  if (program === undefined) throw new Error('only called where LibreOffice is installed');
  return new OfficeConverter(program, folder, { readers: 2, limits: extractionLimits, ...rest }, silentLogger());
};

run('the office stays warm between documents, comes back when it was killed, and is gone after close', async (t) => {
  await using folder = await openFolder();
  const converter = open(folder.path);
  t.true((await converter.convert(folder.input, folder.path, limit())).ok);
  const [first] = await officesOf(folder.path);
  t.true((await converter.convert(folder.input, folder.path, limit())).ok);
  t.deepEqual(await officesOf(folder.path), [first ?? 0]);
  process.kill(first ?? 0, 'SIGKILL');
  await waitFor(async () => (await officesOf(folder.path)).length === 0, { description: 'the office to be gone', limitMs: 5_000 });
  t.true((await converter.convert(folder.input, folder.path, limit())).ok);
  await converter.close();
  t.deepEqual(await officesOf(folder.path), []);
});

run('the office leaves after a rest, and the next document starts another, also while it is just leaving', async (t) => {
  await using folder = await openFolder();
  await using converter = { own: open(folder.path, office, { idleMs: 1 }), [Symbol.asyncDispose]: () => converter.own.close() };
  const warm = { ok: true, path: join(folder.path, 'warm.pdf') } as const;
  t.deepEqual(await converter.own.convert(folder.input, folder.path, limit()), warm);
  await waitFor(async () => (await officesOf(folder.path)).length === 0, { description: 'the office to leave', limitMs: 10_000 });
  t.deepEqual(await converter.own.convert(folder.input, folder.path, limit()), warm);
  await officesOf(folder.path); // takes longer than the rest: the office is asked to leave meanwhile
  t.deepEqual(await converter.own.convert(folder.input, folder.path, limit()), warm);
});

fullOnly(run)('a scratch folder may have blanks, quotes and dollar signs in its name', async (t) => {
  if (office === undefined) throw new Error('only called where LibreOffice is installed');
  await using folder = await openFolder(`sheaf-office '"$HOME\${x}-`);
  await using converter = { own: open(folder.path), [Symbol.asyncDispose]: () => converter.own.close() };
  // Not by a cold office, which would do in place of a warm one that does not start.
  t.deepEqual(await converter.own.convert(folder.input, folder.path, limit()), { ok: true, path: join(folder.path, 'warm.pdf') });
  t.true((await convertCold(office, folder.input, folder.path, 'pdf', extractionLimits, limit())).ok);
});

run('a document that takes too long ends the office, and the next one gets a new one', async (t) => {
  await using folder = await openFolder();
  const converter = open(folder.path);
  t.true((await converter.convert(folder.input, folder.path, limit())).ok);
  const [pid = 0] = await officesOf(folder.path);
  process.kill(pid, 'SIGSTOP'); // as good as an office that hangs
  t.deepEqual(await converter.convert(folder.input, folder.path, limit(1_000)), { ok: false, reason: 'timeout' });
  t.true((await converter.convert(folder.input, folder.path, limit())).ok);
  t.false((await officesOf(folder.path)).includes(pid));
  await converter.close();
});

fullOnly(run)('while the office is busy with one document, others go to a second one', async (t) => {
  await using folder = await openFolder();
  const converter = open(folder.path);
  t.true((await converter.convert(folder.input, folder.path, limit())).ok);
  const [pid = 0] = await officesOf(folder.path);
  process.kill(pid, 'SIGSTOP');
  const stuck = converter.convert(folder.input, folder.path, limit(30_000));
  const other = await converter.convert(folder.input, folder.path, limit(20_000));
  t.true(other.ok);
  process.kill(pid, 'SIGCONT');
  t.true((await stuck).ok);
  await converter.close();
});

fullOnly(run)('an urgent document waits neither for the warm office nor for cold ones, all of which hang', async (t) => {
  await using folder = await openFolder();
  const converter = open(folder.path);
  t.true((await converter.convert(folder.input, folder.path, limit())).ok);
  const abort = new AbortController();
  const convertIn = async (name: string, isUrgent: boolean, signal: AbortSignal) => {
    const outFolder = join(folder.path, name);
    await mkdir(outFolder);
    return converter.convert(folder.input, outFolder, { timeoutMs: 120_000, signal }, { isUrgent });
  };
  /** Stops all offices that there are now; returns how many. */
  const freezeAll = async (): Promise<number> => {
    const pids = await officesOf(folder.path);
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGSTOP');
      } catch {
        // a new one leaves at once and starts again
      }
    }
    return pids.length;
  };
  await freezeAll();
  const stuck = ['one', 'two', 'three'].map((name) => convertIn(name, false, abort.signal).catch(() => 'aborted'));
  await waitFor(async () => (await freezeAll()) === 3, {
    description: 'the warm office and both cold ones to hang',
    limitMs: 60_000,
    everyMs: 5,
  });
  const urgent = await convertIn('urgent', true, new AbortController().signal);
  t.true(urgent.ok);
  abort.abort();
  t.deepEqual(await Promise.all(stuck), ['aborted', 'aborted', 'aborted']);
  await converter.close();
});

fullOnly(run)('a cold office makes the same PDF and leaves nothing running', async (t) => {
  await using folder = await openFolder();
  const outcome = office && (await convertCold(office, folder.input, folder.path, 'pdf', extractionLimits, limit()));
  t.true(outcome?.ok === true && (await stat(outcome.path)).size > 0);
  t.deepEqual(await officesOf(folder.path), []);
});

run('a cold office that takes too long is ended', async (t) => {
  await using folder = await openFolder();
  t.deepEqual(office && (await convertCold(office, folder.input, folder.path, 'pdf', extractionLimits, limit(150))), {
    ok: false,
    reason: 'timeout',
  });
  await waitFor(async () => (await officesOf(folder.path)).length === 0, { description: 'the office to be gone', limitMs: 5_000 });
  t.pass();
});

run('a document that is none gives no PDF', async (t) => {
  await using folder = await openFolder();
  await writeFile(join(folder.path, 'broken.docx'), 'PK\u0003\u0004 nothing');
  const converter = open(folder.path);
  t.deepEqual(await converter.convert(join(folder.path, 'broken.docx'), folder.path, limit()), { ok: false, reason: 'no_file' });
  await converter.close();
});

run('an office that was killed is told from a document that it cannot read, and its warnings from failures', async (t) => {
  if (office === undefined) throw new Error('only called where LibreOffice is installed');
  await using folder = await openFolder();
  await using program = await openFolder();
  await chmod(program.path, 0o755); // another user of the system may run it
  const convertWith = async (script: string): ReturnType<typeof convertCold> => {
    const main = join(program.path, 'office.sh');
    await writeFile(main, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return convertCold({ ...office, main, folder: program.path }, folder.input, folder.path, 'pdf', extractionLimits, limit());
  };
  t.deepEqual(await convertWith('kill -9 $$'), { ok: false, reason: 'died' });
  t.deepEqual(await convertWith('kill -9 $PPID; kill -9 $$'), { ok: false, reason: 'died' });
  // what it ends with when it could not use its profile, has crashed, or wants to be started again
  for (const exitCode of [77, 79, 81]) t.deepEqual(await convertWith(`exit ${exitCode}`), { ok: false, reason: 'died' });
  t.deepEqual(await convertWith('exit 1'), { ok: false, reason: 'no_file' });
  t.deepEqual(await convertWith('exit 0'), { ok: false, reason: 'no_file' });
  // the last argument is the document, the one before it the folder
  const made = await convertWith('for last; do :; done; echo "an error that is none" >&2; echo pdf > "${last%.*}.pdf"');
  t.true(made.ok);
});

const HALF = '%PDF-1.6 half of it';

/** An office that listens, and whose client leaves half a file of each document and fails, as when the office dies; alone it works. */
const officeThatDiesMidway = async (folder: string): Promise<OfficeProgram> => {
  if (office === undefined) throw new Error('only called where LibreOffice is installed');
  await chmod(folder, 0o755); // another user of the system may run it
  const own = { main: join(folder, 'main.sh'), client: join(folder, 'client.sh'), folder };
  const listen = 'case "$*" in *private:factory*) touch /tmp/OSL_PIPE_of_the_test; exec sleep 60;; esac';
  const becomeOffice = `LD_LIBRARY_PATH='${dirname(office.main)}' exec '${office.main}' "$@"`;
  await writeFile(own.main, `#!/bin/sh\n${listen}\n${becomeOffice}\n`, { mode: 0o755 });
  const warmUp = 'grep -q ready "$last" && { echo pdf > "$made"; exit 0; }';
  await writeFile(own.client, `#!/bin/sh\nfor last; do :; done\nmade="\${last%.*}.pdf"\n${warmUp}\necho '${HALF}' > "$made"\nexit 1\n`, {
    mode: 0o755,
  });
  return own;
};

fullOnly(hasOwnTemporaryFolder() ? run : test.skip)(
  'half a file of an office that died is no PDF: a new office converts the document',
  async (t) => {
    await using folder = await openFolder();
    await using program = await openFolder();
    const converter = open(folder.path, await officeThatDiesMidway(program.path));
    const outcome = await converter.convert(folder.input, folder.path, limit());
    t.deepEqual(outcome, { ok: true, path: join(folder.path, 'cold.pdf') });
    t.regex(await readFile(join(folder.path, 'cold.pdf'), 'latin1'), /%%EOF\s*$/);
    await converter.close();
  },
);
