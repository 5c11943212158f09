import { once } from 'node:events';
import { mkdir, mkdtempDisposable, rename, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sendOfficeJob } from '@sheaf/extraction/testing/office';
import test from 'ava';

const READY = 'InternalIPC::SendArguments\0';
const DONE = 'InternalIPC::ProcessingDone\0';
const LIMIT = { timeoutMs: 10_000, signal: new AbortController().signal };

interface Office extends AsyncDisposable {
  readonly folder: string;
  readonly pipePath: string;
}

/** Listens like an office, below a folder with a path that is too long for a socket. */
const openOffice = async (serve: (socket: Socket) => void): Promise<Office> => {
  const temporary = await mkdtempDisposable(join(tmpdir(), 'sheaf-job-'));
  const folder = join(temporary.path, 'a'.repeat(120));
  await mkdir(folder);
  const short = join(temporary.path, 'short');
  await symlink(folder, short);
  const server = createServer(serve).listen(join(short, 'OSL_PIPE_0'));
  await once(server, 'listening');
  const dispose = async (): Promise<void> => {
    server.close();
    await temporary.remove();
  };
  return { folder, pipePath: join(folder, 'OSL_PIPE_0'), [Symbol.asyncDispose]: dispose };
};

test('the office is told the folder and the arguments, whatever signs are in them, once it has greeted', async (t) => {
  const heard: string[] = [];
  await using office = await openOffice((socket) => {
    socket.write(READY.slice(0, 9));
    socket.on('data', (chunk) => {
      heard.push(chunk.toString());
      socket.end(DONE);
    });
    setImmediate(() => socket.write(READY.slice(9)));
  });
  const job = { pipePath: office.pipePath, cwd: '/a b,c', args: ['--convert-to', 'pdf', String.raw`/a b,c/d\e.docx`] };
  t.is(await sendOfficeJob(job, LIMIT), 'done');
  t.deepEqual(heard, [String.raw`InternalIPC::Arguments1file:///a%20b\,c,--convert-to,pdf,/a b\,c/d\\e.docx` + '\0']);
});

test('who does not speak like an office is told nothing', async (t) => {
  const heard: string[] = [];
  await using office = await openOffice((socket) => {
    socket.on('data', (chunk) => heard.push(chunk.toString())).on('error', () => {});
    socket.write('220 mail.example.org ESMTP\r\n');
  });
  const job = { pipePath: office.pipePath, cwd: '/', args: ['x'] };
  t.is(await sendOfficeJob(job, LIMIT), 'refused');
  t.deepEqual(heard, []);
});

test('an office that leaves before it is done, or that is none, refuses', async (t) => {
  await using office = await openOffice((socket) => {
    socket.write(READY);
    socket.on('data', () => socket.destroy());
  });
  const { pipePath, folder } = office;
  t.is(await sendOfficeJob({ pipePath, cwd: '/', args: [] }, LIMIT), 'refused');
  await symlink(pipePath, join(folder, 'link'));
  await writeFile(join(folder, 'file'), READY + DONE);
  for (const name of ['link', 'file', 'nothing'])
    t.is(await sendOfficeJob({ pipePath: join(folder, name), cwd: '/', args: [] }, LIMIT), 'refused', name);
});

/** Leaves at `path` the socket of a server that has ended. */
const leaveSocket = async (path: string): Promise<void> => {
  const server = createServer().listen(`${path}~`);
  await once(server, 'listening');
  await rename(`${path}~`, path); // its end removes the name that it knows
  await new Promise((resolve) => server.close(resolve));
};

test('an office that has named its socket and does not listen on it yet is asked again until it does', async (t) => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'sheaf-job-'));
  const pipePath = join(temporary.path, 'OSL_PIPE_0');
  await leaveSocket(pipePath);
  const job = { pipePath, cwd: '/', args: [] };
  t.is(await sendOfficeJob(job, { timeoutMs: 100, signal: LIMIT.signal }), 'timeout');
  const end = sendOfficeJob(job, LIMIT);
  const server = createServer((socket) => {
    socket.write(READY);
    socket.on('data', () => socket.end(DONE));
  });
  t.teardown(() => server.close());
  await once(server.listen(`${pipePath}~`), 'listening');
  await rename(`${pipePath}~`, pipePath);
  t.is(await end, 'done');
});

test('a job ends at its limit, and when it is no longer wanted', async (t) => {
  const abort = new AbortController();
  await using office = await openOffice((socket) => {
    socket.on('error', () => {}).write(READY);
    socket.on('data', (chunk) => {
      if (chunk.includes('cancel')) abort.abort();
    });
  });
  const { pipePath } = office;
  t.is(await sendOfficeJob({ pipePath, cwd: '/', args: ['wait'] }, { timeoutMs: 50, signal: LIMIT.signal }), 'timeout');
  t.is(await sendOfficeJob({ pipePath, cwd: '/', args: ['cancel'] }, { timeoutMs: 10_000, signal: abort.signal }), 'cancelled');
  t.is(await sendOfficeJob({ pipePath, cwd: '/', args: ['late'] }, { timeoutMs: 10_000, signal: abort.signal }), 'cancelled');
});
