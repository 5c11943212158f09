import { Alert, Anchor, Skeleton } from '@mantine/core';
import { IconArrowLeft, IconFileOff } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Link, useParams } from 'wouter';
import { EmptyState } from '../../components/empty-state.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { ScreenHeader } from '../../components/screen-header.tsx';
import { useCall } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';
import type { Document } from '../document/document-facts.tsx';
import { useMayDo } from '../document/use-may-do.ts';
import { EditPages } from './edit-pages.tsx';
import { hasEditablePages } from './editable-types.ts';
import './page-editor.css';

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
