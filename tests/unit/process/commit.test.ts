import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findCommit } from '@sheaf/process';
import test, { type ExecutionContext } from 'ava';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);

const tree = (t: ExecutionContext, files: Readonly<Record<string, string>>): string => {
  const root = mkdtempSync(join(tmpdir(), 'sheaf-commit-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
};

test('the commit is that of the branch, loose or packed, or of a detached head', (t) => {
  t.is(findCommit(tree(t, { '.git/HEAD': 'ref: refs/heads/main\n', '.git/refs/heads/main': `${A}\n` })), A);
  t.is(
    findCommit(
      tree(t, { '.git/HEAD': 'ref: refs/heads/main\n', '.git/packed-refs': `# pack\n${B} refs/heads/other\n${A} refs/heads/main\n` }),
    ),
    A,
  );
  t.is(findCommit(tree(t, { '.git/HEAD': `${A}\n` })), A);
});

test('a further working tree finds it too, and a file of whoever packed the sources goes first', (t) => {
  const linked = {
    'w/.git': 'gitdir: ../main/.git/worktrees/w\n',
    'main/.git/worktrees/w/HEAD': 'ref: refs/heads/w\n',
    'main/.git/worktrees/w/commondir': '../..\n',
    'main/.git/refs/heads/w': `${A}\n`,
  };
  t.is(findCommit(join(tree(t, linked), 'w')), A);
  t.is(findCommit(tree(t, { COMMIT: `${B}\n`, '.git/HEAD': `${A}\n` })), B);
});

test('where nothing is known, or what is there is no commit, there is none', (t) => {
  t.is(findCommit(tree(t, {})), undefined);
  t.is(findCommit(tree(t, { COMMIT: 'unknown\n', '.git/HEAD': 'ref: refs/heads/none\n' })), undefined);
});
