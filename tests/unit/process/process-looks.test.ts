import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { listPrograms, ProcessLooks } from '@sheaf/process/machine';
import test, { type ExecutionContext } from 'ava';

/** A program of this process that stays until it is ended. */
const givenProgram = async (t: ExecutionContext, script = 'read line') => {
  const program = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'pipe', 'ignore'] });
  t.teardown(() => program.kill('SIGKILL'));
  await once(program, 'spawn');
  return { program, pid: program.pid ?? 0 };
};

test('strangers are asked once who started them, and what is ours every time', async (t) => {
  const { program, pid } = await givenProgram(t);
  const looks = new ProcessLooks();
  const look = () => {
    const asked: number[] = [];
    const ours = looks.look((one, all) => {
      asked.push(one);
      return all.get(one)?.parent === process.pid;
    });
    return { ours, asked };
  };
  const first = look();
  t.true(first.asked.includes(process.pid));
  t.is(first.ours.get(pid)?.parent, process.pid);
  t.false(first.ours.has(process.pid));
  const { pid: later } = await givenProgram(t);
  const second = look();
  t.false(second.asked.includes(process.pid), 'a stranger');
  t.true(second.ours.has(pid) && second.ours.has(later), 'also one that was not there before');
  program.kill('SIGKILL');
  await once(program, 'close');
  t.false(look().ours.has(pid));
});

test('the programs of this process are listed, each with those that it started', async (t) => {
  const { program, pid } = await givenProgram(t, 'sleep 60 & echo $!; wait');
  const [chunk] = (await once(program.stdout, 'data')) as [Buffer];
  const grandchild = Number(chunk.toString());
  t.teardown(() => process.kill(grandchild, 'SIGKILL'));
  for (let n = 0; n < 2; n += 1)
    t.deepEqual(
      listPrograms().find(([first]) => first === pid),
      [pid, grandchild],
    );
});
