import { Alert, Anchor, Button, List, Stack, Text } from '@mantine/core';
import type { SplitFrom, SplitInto } from '@sheaf/contract/documents';
import { IconScissors } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { useCall } from '../../../interface/use-call.ts';
import { useFormat, useTranslate } from '../../../language/language.tsx';
import type { Document } from '../document-facts.tsx';
import { useMayDo } from '../use-may-do.ts';
import { pageRanges } from './page-ranges.ts';
import { splitFromOf, splitIntoOf } from './split-metadata.ts';
import { UndoDialog } from './undo-dialog.tsx';

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
