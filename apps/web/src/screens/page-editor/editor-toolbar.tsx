import { Button, Group, Text } from '@mantine/core';
import {
  IconArrowBackUp,
  IconArrowLeft,
  IconArrowRight,
  IconArrowsMove,
  IconFilePlus,
  IconRotate2,
  IconRotateClockwise2,
  IconScissors,
  IconTrash,
} from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslate } from '../../language/language.tsx';
import { useSession } from '../../session/session.tsx';
import { Tool } from '../document/viewer/tool.tsx';
import { AppendDialog, type Appended } from './append-dialog.tsx';
import { MoveDialog } from './move-dialog.tsx';

const ICON_PX = 18;

export interface EditorActions {
  readonly turn: (by: 90 | 270) => void;
  readonly remove: () => void;
  readonly step: (step: -1 | 1) => void;
  readonly moveTo: (position: number) => void;
  readonly split: () => void;
  readonly append: (document: Appended) => void;
  readonly undo: () => void;
  readonly undoAll: () => void;
  readonly selectAll: () => void;
  readonly selectNone: () => void;
}

interface Props {
  readonly documentId: string;
  readonly count: number;
  readonly selected: number;
  /** Steps that can be undone. */
  readonly steps: number;
  readonly actions: EditorActions;
}

/** What can be done with the selected pages. */
export const EditorToolbar = ({ documentId, count, selected, steps, actions }: Props): ReactNode => {
  const t = useTranslate();
  const [open, setOpen] = useState<'move' | 'append'>();
  const { may } = useSession();
  const isNone = selected === 0;
  const tools = [
    { name: t('pageEditor.turnLeft'), icon: IconRotate2, act: () => actions.turn(270) },
    { name: t('pageEditor.turnRight'), icon: IconRotateClockwise2, act: () => actions.turn(90) },
    { name: t('pageEditor.moveBack'), icon: IconArrowLeft, act: () => actions.step(-1) },
    { name: t('pageEditor.moveOn'), icon: IconArrowRight, act: () => actions.step(1) },
    { name: t('pageEditor.moveTo'), icon: IconArrowsMove, act: () => setOpen('move') },
    // its parts are new documents
    ...(may('documents.create') ? [{ name: t('pageEditor.split'), icon: IconScissors, act: actions.split }] : []),
    { name: t('pageEditor.remove'), icon: IconTrash, act: actions.remove },
  ];
  return (
    <>
      <Group gap="xs" role="toolbar" aria-label={t('pageEditor.actions')}>
        {tools.map(({ name, icon: Icon, act }) => (
          <Tool key={name} name={name} onClick={act} isDisabled={isNone}>
            <Icon size={ICON_PX} />
          </Tool>
        ))}
        <Tool name={t('pageEditor.append')} onClick={() => setOpen('append')}>
          <IconFilePlus size={ICON_PX} />
        </Tool>
        <Tool name={t('common.undo')} onClick={actions.undo} isDisabled={steps === 0}>
          <IconArrowBackUp size={ICON_PX} />
        </Tool>
        <Button size="compact-sm" variant="subtle" onClick={actions.undoAll} disabled={steps === 0}>
          {t('pageEditor.undoAll')}
        </Button>
      </Group>
      <Group gap="xs" mt={4}>
        <Text size="sm" role="status">
          {isNone ? t('pageEditor.count', { count }) : t('pageEditor.selected', { count: selected })}
        </Text>
        <Button size="compact-sm" variant="subtle" onClick={isNone ? actions.selectAll : actions.selectNone}>
          {isNone ? t('pageEditor.selectAll') : t('documents.selectNone')}
        </Button>
      </Group>
      {open === 'move' && <MoveDialog count={count} onMove={actions.moveTo} onClose={() => setOpen(undefined)} />}
      {open === 'append' && <AppendDialog documentId={documentId} onAppend={actions.append} onClose={() => setOpen(undefined)} />}
    </>
  );
};
