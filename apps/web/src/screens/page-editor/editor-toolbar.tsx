import { Button, Group, NumberInput, Stack, Text } from '@mantine/core';
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
import { type FormEvent, type ReactNode, useState } from 'react';
import { Dialog, FormButtons } from '../../components/dialog.tsx';
import { DocumentPicker } from '../../components/document-picker.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { useCall } from '../../interface/call.ts';
import { useTranslate } from '../../language/language.tsx';
import { useSession } from '../../session/session.tsx';
import { hasEditablePages } from '../document/document-actions.ts';
import { Tool } from '../document/viewer/tool.tsx';

interface MoveDialogProps {
  readonly count: number;
  readonly onMove: (position: number) => void;
  readonly onClose: () => void;
}

/** Asks for the position that the selected pages move to. */
export const MoveDialog = ({ count, onMove, onClose }: MoveDialogProps): ReactNode => {
  const t = useTranslate();
  const [position, setPosition] = useState<number | string>(1);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (typeof position !== 'number') return;
    onMove(position);
    onClose();
  };
  return (
    <Dialog opened onClose={onClose} title={t('pageEditor.moveTo')}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <NumberInput
            label={t('pageEditor.position')}
            value={position}
            onChange={setPosition}
            min={1}
            max={count}
            allowDecimal={false}
            data-autofocus
          />
          <FormButtons submit={t('pageEditor.move')} isBusy={false} isIncomplete={typeof position !== 'number'} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
};

export interface Appended {
  readonly id: string;
  readonly title: string;
  readonly pageCount: number;
}

interface AppendDialogProps {
  readonly documentId: string;
  readonly onAppend: (document: Appended) => void;
  readonly onClose: () => void;
}

/** Chooses a document whose pages are added at the end. */
export const AppendDialog = ({ documentId, onAppend, onClose }: AppendDialogProps): ReactNode => {
  const t = useTranslate();
  const [id, setId] = useState('');
  const { data, error } = useCall('get /api/documents/{id}', { params: { id } }, { enabled: id !== '' });
  const pageCount = data?.page_count ?? 0;
  const refusal =
    data === undefined
      ? undefined
      : !hasEditablePages(data.mime_type)
        ? t('pageEditor.notAppendable')
        : data.status !== 'completed' || pageCount === 0
          ? t('pageEditor.notProcessed')
          : undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (data === undefined || refusal !== undefined) return;
    onAppend({ id: data.id, title: data.title, pageCount });
    onClose();
  };
  return (
    <Dialog opened onClose={onClose} title={t('pageEditor.append')}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <ProblemNote problem={error} />
          <DocumentPicker
            label={t('document.document')}
            value={id}
            title={data?.title}
            except={[documentId]}
            error={refusal}
            onChange={(chosen) => setId(chosen ?? '')}
          />
          <Text size="sm">{t('pageEditor.appendHint')}</Text>
          <FormButtons
            submit={
              refusal === undefined && data !== undefined ? t('pageEditor.appendPages', { count: pageCount }) : t('pageEditor.appendNow')
            }
            isBusy={false}
            isIncomplete={data === undefined || refusal !== undefined}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
};

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

interface EditorToolbarProps {
  readonly documentId: string;
  readonly count: number;
  readonly selected: number;
  /** Steps that can be undone. */
  readonly steps: number;
  readonly actions: EditorActions;
}

/** What can be done with the selected pages. */
export const EditorToolbar = ({ documentId, count, selected, steps, actions }: EditorToolbarProps): ReactNode => {
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
