import { Alert, Anchor, Button, Card, Group, List, Skeleton, Stack, Text } from '@mantine/core';
import { IconArrowLeft, IconFileOff } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { ProblemNote } from '../../components/problem-note.tsx';
import { EmptyState, ScreenHeader } from '../../components/screen-parts.tsx';
import { useCall, useChange } from '../../interface/call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { hasEditablePages, SHOWS_FILE, useMayDo } from '../document/document-actions.ts';
import type { Document } from '../document/document-facts.tsx';
import './page-editor.css';
import { notifications } from '@mantine/notifications';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { useLeaveWarning } from '../../components/leave-warning.ts';
import { type Appended, type EditorActions, EditorToolbar } from './editor-toolbar.tsx';
import { SaveProblem } from './save-problem.tsx';
import { SheetGrid } from './sheet-grid.tsx';
import {
  appendSheets,
  documentCount,
  moveSheets,
  moveSheetsTo,
  NO_PAGES,
  operationsOf,
  type PageSelection,
  prune,
  removeSheets,
  type Sheets,
  selectAll,
  sheetsOf,
  splitSheets,
  stepSheets,
  turnSheets,
} from './sheets.ts';

const Body = ({ document, onReload }: { readonly document: Document; readonly onReload: () => void }): ReactNode => {
  const t = useTranslate();
  const mayDo = useMayDo();
  // what is edited stays on the screen while somebody else has the document processed again
  const [wasReady] = useState(document.status === 'completed' && document.page_count !== null);
  const isReady = wasReady || (document.status === 'completed' && document.page_count !== null);
  if (!mayDo('documents.update', document)) return <Alert color="yellow">{t('pageEditor.notAllowed')}</Alert>;
  if (!hasEditablePages(document.mime_type)) return <Alert color="yellow">{t('pageEditor.notEditable')}</Alert>;
  if (!isReady) return <Alert color="yellow">{t('pageEditor.notProcessed')}</Alert>;
  return <EditPages document={document} onReload={onReload} />;
};

/** Rotates, deletes, moves and splits the pages of a document, and appends others. */
const PageEditor = (): ReactNode => {
  const t = useTranslate();
  const { id } = useParams<{ id: string }>();
  const [reloads, setReloads] = useState(0);
  const { data, error, refetch } = useCall('get /api/documents/{id}', { params: { id } });
  const reload = (): void => void refetch().then(() => setReloads((before) => before + 1));
  return (
    <>
      <Anchor component={Link} href={`/documents/${id}`} size="sm" mb="xs" style={{ display: 'inline-flex', alignItems: 'center', gap: 4 }}>
        <IconArrowLeft size={14} /> {data?.title ?? t('document.document')}
      </Anchor>
      <ScreenHeader title={t('document.editPages')} />
      {error?.code === 'DOCUMENT_NOT_FOUND' ? (
        <EmptyState icon={IconFileOff} title={t('document.gone')} hint={t('document.goneHint')} />
      ) : data === undefined ? (
        error === null ? (
          <Skeleton height="60vh" radius="md" />
        ) : (
          <ProblemNote problem={error} onRetry={reload} />
        )
      ) : (
        <Body key={`${id} ${reloads}`} document={data} onReload={reload} />
      )}
    </>
  );
};
export default PageEditor;

interface SignatureDialogProps {
  /** That keeps the signature. */
  readonly version: number;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before a version without the signature is made of a signed PDF. */
const SignatureDialog = ({ version, onConfirm, onClose }: SignatureDialogProps): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  return (
    <ConfirmDialog
      title={t('pageEditor.signedTitle')}
      hint={t('pageEditor.signedHint', { number: format.number(version) })}
      submit={t('pageEditor.signedSave')}
      onConfirm={onConfirm}
      onClose={onClose}
    />
  );
};

/** The documents that a split has made. */
const SplitResult = ({ documents }: { readonly documents: readonly Document[] }): ReactNode => {
  const t = useTranslate();
  const first = useRef<HTMLAnchorElement>(null);
  useEffect(() => first.current?.focus(), []);
  return (
    <Card withBorder padding="lg" role="status">
      <Text fw={600} mb="xs">
        {t('pageEditor.splitDone', { count: documents.length })}
      </Text>
      <List size="sm">
        {documents.map(({ id, title, page_count: count }, index) => (
          <List.Item key={id}>
            <Anchor ref={index === 0 ? first : undefined} component={Link} href={`/documents/${id}`} className="stranger">
              {title}
            </Anchor>
            {count !== null && ` · ${t('pageEditor.count', { count })}`}
          </List.Item>
        ))}
      </List>
    </Card>
  );
};

interface Props {
  /** As it is now. */
  readonly document: Document;
  /** Gives up all changes and begins with the pages that there are now. */
  readonly onReload: () => void;
}

/** Arranges the pages of a document; nothing is changed before it is saved. */
const EditPages = ({ document, onReload }: Props): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const [, navigate] = useLocation();
  const [{ id, version, page_count: count, is_signed: isSigned }] = useState(document);
  const pageCount = count ?? 0;
  const { sheets, steps, edit, undo, undoAll } = usePageEdits(useState(() => sheetsOf(id, pageCount))[0]);
  const [chosen, setChosen] = useState<PageSelection>(NO_PAGES);
  const [appended, setAppended] = useState<readonly Appended[]>([]);
  const [isAsking, setAsking] = useState(false);
  const save = useChange('post /api/documents/{id}/pages/edit', SHOWS_FILE);
  const selection = prune(chosen, sheets);
  const operations = operationsOf(pageCount, sheets);
  const isChanged = operations.length > 0;
  useLeaveWarning(isChanged && !save.isSuccess);

  const titleOf = (documentId: string): string | undefined => appended.find((one) => one.id === documentId)?.title;
  const onSelected = (change: (all: Sheets, keys: ReadonlySet<string>) => Sheets) => (): void =>
    edit((before) => change(before, selection.keys));
  const actions: EditorActions = {
    turn: (by) => onSelected((all, keys) => turnSheets(all, keys, by))(),
    remove: onSelected(removeSheets),
    step: (step) => onSelected((all, keys) => stepSheets(all, keys, step))(),
    moveTo: (position) => onSelected((all, keys) => moveSheetsTo(all, keys, position))(),
    split: onSelected(splitSheets),
    append: (one) => {
      setAppended([...appended, one]);
      edit((before) => appendSheets(before, one.id, one.pageCount, appended.length + 1));
    },
    undo,
    undoAll,
    selectAll: () => setChosen(selectAll(sheets)),
    selectNone: () => setChosen(NO_PAGES),
  };
  const send = (breakSignature: boolean): void => {
    setAsking(false);
    save.mutate(
      { params: { id }, body: { operations, version, ...(breakSignature ? { break_signature: true } : {}) } },
      {
        onSuccess: (answer) => {
          if ('documents' in answer) return;
          notifications.show({ message: t('pageEditor.saved', { number: format.number(version) }) });
          navigate(`/documents/${id}`);
        },
        onError: ({ code }) => setAsking(code === 'DOCUMENT_IS_SIGNED'),
      },
    );
  };

  if (save.data !== undefined && 'documents' in save.data) return <SplitResult documents={save.data.documents} />;
  const isStale = save.error?.code === 'VERSION_CHANGED' || (save.isIdle && document.version !== version);
  const isLastGone = sheets.length === 0;
  return (
    <Stack gap="md">
      <Text size="sm">{t('pageEditor.kept', { number: format.number(version) })}</Text>
      {isSigned && <Alert color="yellow">{t('pageEditor.signed')}</Alert>}
      {isStale ? (
        <Alert color="yellow" role="alert" title={t('pageEditor.stale')}>
          <Button size="xs" variant="default" onClick={onReload}>
            {t('pageEditor.reload')}
          </Button>
        </Alert>
      ) : (
        !isAsking && (
          <SaveProblem
            problem={save.error}
            titleOf={titleOf}
            onRemove={(documentId) => {
              save.reset();
              edit((before) =>
                removeSheets(before, new Set(before.filter((sheet) => sheet.documentId === documentId).map(({ key }) => key))),
              );
            }}
          />
        )
      )}
      {isLastGone && (
        <Alert color="yellow" role="alert">
          {t('errors.no_pages_left')}
        </Alert>
      )}
      <div className="page-editor-bar">
        <EditorToolbar documentId={id} count={sheets.length} selected={selection.keys.size} steps={steps} actions={actions} />
      </div>
      <Text size="xs" c="dimmed" id="page-editor-keys" visibleFrom="sm">
        {t('pageEditor.keys')}
      </Text>
      <SheetGrid
        sheets={sheets}
        selection={selection}
        onSelect={setChosen}
        onMove={(keys, gap) => edit((before) => moveSheets(before, keys, gap))}
        onStep={actions.step}
        onDelete={actions.remove}
        onUndo={undo}
        titleOf={titleOf}
      />
      <Group justify="flex-end" gap="sm" className="page-editor-end">
        {documentCount(sheets) > 1 && <Text size="sm">{t('pageEditor.willSplit', { count: documentCount(sheets) })}</Text>}
        <Button component={Link} href={`/documents/${id}`} variant="default">
          {t('common.cancel')}
        </Button>
        <Button
          disabled={!isChanged || isLastGone || isStale}
          loading={save.isPending}
          onClick={() => (isSigned ? setAsking(true) : send(false))}
        >
          {t('pageEditor.save')}
        </Button>
      </Group>
      {isAsking && <SignatureDialog version={version} onConfirm={() => send(true)} onClose={() => setAsking(false)} />}
    </Stack>
  );
};

/** So many steps can be undone. */
const MOST_STEPS = 100;

interface PageEdits {
  readonly sheets: Sheets;
  /** Steps that can be undone. */
  readonly steps: number;
  readonly edit: (change: (sheets: Sheets) => Sheets) => void;
  readonly undo: () => void;
  readonly undoAll: () => void;
}

/** The pages as they are to be, and how they were before each step. */
const usePageEdits = (first: Sheets): PageEdits => {
  const [{ sheets, past }, setState] = useState<{ readonly sheets: Sheets; readonly past: readonly Sheets[] }>({ sheets: first, past: [] });
  return {
    sheets,
    steps: past.length,
    edit: (change) =>
      setState((before) => {
        const after = change(before.sheets);
        return after === before.sheets ? before : { sheets: after, past: [...before.past, before.sheets].slice(-MOST_STEPS) };
      }),
    undo: () =>
      setState((before) => {
        const last = before.past.at(-1);
        return last === undefined ? before : { sheets: last, past: before.past.slice(0, -1) };
      }),
    undoAll: () => setState({ sheets: first, past: [] }),
  };
};
