import { commandOf } from '@sheaf/web/testing';
import test from 'ava';

const NO_MODIFIERS = { shiftKey: false, ctrlKey: false, metaKey: false, altKey: false };
const inList = { current: 5, total: 10, columns: 1, pageRows: 4 };
const inGrid = { current: 5, total: 10, columns: 3, pageRows: 2 };

test('arrows and letters move, and stop at the ends', (t) => {
  const to = (key: string, place = inList): number | undefined => {
    const command = commandOf({ ...NO_MODIFIERS, key }, place);
    return command?.does === 'move' ? command.to : undefined;
  };
  t.is(to('ArrowDown'), 6);
  t.is(to('k'), 4);
  t.is(to('PageDown'), 9);
  t.is(to('PageUp'), 1);
  t.is(to('Home'), 0);
  t.is(to('End'), 9);
  t.is(to('ArrowRight'), undefined);
  t.is(to('ArrowDown', inGrid), 8);
  t.is(to('ArrowLeft', inGrid), 4);
  t.is(to('PageUp', inGrid), 0);
});

test('Shift extends and selects ranges, also with letters; other keys with Ctrl or Alt belong to the browser', (t) => {
  t.like(commandOf({ ...NO_MODIFIERS, key: 'J', shiftKey: true }, inList), { does: 'move', to: 6, isExtending: true });
  t.deepEqual(commandOf({ ...NO_MODIFIERS, key: 'X', shiftKey: true }, inList), { does: 'toggle', isRange: true });
  t.deepEqual(commandOf({ ...NO_MODIFIERS, key: 'a', ctrlKey: true }, inList), { does: 'selectAll' });
  t.is(commandOf({ ...NO_MODIFIERS, key: 'ArrowLeft', altKey: true }, inGrid), undefined);
  t.is(commandOf({ ...NO_MODIFIERS, key: 'j', ctrlKey: true }, inList), undefined);
  t.is(commandOf({ ...NO_MODIFIERS, key: '?', shiftKey: true }, inList), undefined);
});
