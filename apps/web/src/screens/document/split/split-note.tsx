import { Alert, Anchor, Button, Group, List, Stack, Text } from '@mantine/core';
import type { SplitFrom, SplitInto } from '@sheaf/contract/documents';
import { IconScissors } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { Dialog } from '../../../components/dialog.tsx';
import { ProblemNote } from '../../../components/problem-note.tsx';
import { useCall, useChange } from '../../../interface/call.ts';
import { useFormat, useTranslate } from '../../../language/language.tsx';
import { SHOWS_FILE, useMayDo } from '../document-actions.ts';
import type { Document } from '../document-facts.tsx';
import { pageRanges, splitFromOf, splitIntoOf } from './split-parts.ts';

/** Of a long list of parts; each is asked for by itself. */
const MOST_SHOWN = 20;

/** The title of a document, as a link; what there is no more is only named. */
const DocumentLink = ({ id }: { readonly id: string }): ReactNode => {
  const t = useTranslate();
  const { data, error } = useCall('get /api/documents/{id}', { params: { id } });
  if (error !== null) return t('split.gone');
  return (
    <Anchor component={Link} href={`/documents/${id}`} size="sm" className="stranger">
      {data?.title ?? '…'}
    </Anchor>
  );
};

const Pages = ({ pages }: Pick<SplitFrom, 'pages'>): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  return ` · ${t('split.pages', { count: pages.length, pages: pageRanges(pages, (page) => format.number(page)) })}`;
};

/** Asks before the parts of a document are put together again. */
const UndoDialog = ({ documentId, onClose }: { readonly documentId: string; readonly onClose: () => void }): ReactNode => {
  const t = useTranslate();
  const undo = useChange('post /api/documents/{id}/split/undo', [...SHOWS_FILE, 'get /api/search', 'get /api/ingest']);
  return (
    <Dialog opened onClose={onClose} title={t('split.undoTitle')}>
      <Stack gap="md">
        <ProblemNote problem={undo.error} />
        <Text size="sm">{t('split.undoHint')}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button loading={undo.isPending} onClick={() => undo.mutate({ params: { id: documentId } }, { onSuccess: onClose })}>
            {t('split.undo')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
};

const Parts = ({ document, into: { version, parts } }: { readonly document: Document; readonly into: SplitInto }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const mayDo = useMayDo();
  const [isAsking, setAsking] = useState(false);
  const [isWhole, setWhole] = useState(false);
  const others = parts.filter((part) => part.document_id !== document.id);
  const shown = isWhole ? others : others.slice(0, MOST_SHOWN);
  return (
    <Alert color="gray" icon={<IconScissors />} title={t('split.into', { count: parts.length })}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t('split.whole', { number: format.number(version) })}</Text>
        <List size="sm">
          {shown.map(({ document_id: id, pages }) => (
            <List.Item key={id}>
              <DocumentLink id={id} />
              <Pages pages={pages} />
            </List.Item>
          ))}
        </List>
        {shown.length < others.length && (
          <Button size="compact-sm" variant="subtle" onClick={() => setWhole(true)}>
            {t('documents.more', { count: format.number(others.length - shown.length) })}
          </Button>
        )}
        {mayDo('documents.update', document) && mayDo('documents.delete', document) && (
          <Button size="xs" variant="default" onClick={() => setAsking(true)}>
            {t('split.undo')}
          </Button>
        )}
      </Stack>
      {isAsking && <UndoDialog documentId={document.id} onClose={() => setAsking(false)} />}
    </Alert>
  );
};

/** Where pages of a document are that was split, or where those of a part come from. */
const SplitNote = ({ document }: { readonly document: Document }): ReactNode => {
  const t = useTranslate();
  const [from, into] = [splitFromOf(document), splitIntoOf(document)];
  return (
    <Stack gap="xs" mb="md">
      {from !== undefined && (
        <Alert color="gray" icon={<IconScissors />} title={t('split.from')}>
          <Text size="sm">
            <DocumentLink id={from.document_id} />
            <Pages pages={from.pages} />
          </Text>
        </Alert>
      )}
      {into !== undefined && <Parts document={document} into={into} />}
    </Stack>
  );
};
export default SplitNote;
