import { hearOfMemory, type SupervisorWord } from '@sheaf/runtime';
import test from 'ava';

/** As the channel to the supervisor does. */
const arrive = (message: unknown): void => void process.emit('message', message, undefined);

test('what the supervisor says of the memory is the health of a part, and nothing else that comes over the channel', async (t) => {
  const memory = hearOfMemory();
  await memory.start();
  t.deepEqual(memory.health?.(), { status: 'healthy' });
  const word: SupervisorWord = { type: 'memory', health: { status: 'warning', message: 'too much' } };
  arrive(word);
  t.deepEqual(memory.health?.(), word.health);
  arrive({ type: 'memory', health: { status: 'splendid' } });
  arrive('memory');
  t.deepEqual(memory.health?.(), word.health);
  arrive({ type: 'memory', health: { status: 'healthy' } });
  t.deepEqual(memory.health?.(), { status: 'healthy' });
  await memory.stop();
  arrive(word);
  t.deepEqual(memory.health?.(), { status: 'healthy' });
});
