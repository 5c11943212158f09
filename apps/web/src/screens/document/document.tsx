import { ActionIcon, Alert, Anchor, Button, Grid, Group, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { SERVICE_METADATA_KEYS } from '@sheaf/vocabulary/documents';
import type { Action } from '@sheaf/vocabulary/permissions';
import { IconArrowLeft, IconChevronLeft, IconChevronRight, IconFileOff, IconFileStack, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { late } from '../../app/late.ts';
import { StatusBadge } from '../../components/badges.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { EmptyState, ScreenHeader } from '../../components/screen-parts.tsx';
import { useHidden, useUndoableRemoval } from '../../components/undo.tsx';
import { pageOf, useAddressState } from '../../interface/address-state.ts';
import { call, refresh, useCall } from '../../interface/call.ts';
import { neighboursOf } from '../../interface/neighbours.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { withLaterMessages } from '../../language/load-translator.ts';
import { CodeMessage } from '../../messages/code-message.tsx';
import { ShareButton } from '../shares/share-button.tsx';
import { hasEditablePages, useMayDo } from './document-actions.ts';
import { DocumentEinvoice, useEinvoiceAddress } from './document-einvoice.tsx';
import { DocumentFacts, type Document as DocumentOf, FoundFacts } from './document-facts.tsx';
import { DocumentFiling, DocumentLabels } from './document-filing.tsx';
import { DocumentHistory, RetryForm } from './document-history.tsx';
import { DocumentMetadata, DocumentTitle } from './document-metadata.tsx';
import { DocumentNotes } from './document-notes.tsx';
import { DownloadButton, DownloadMenuButton } from './download/download-button.tsx';
import { DocumentFields } from './fields/document-fields.tsx';
import { PageText } from './page-text.tsx';
import type { Highlight } from './viewer/page-list.tsx';
import { hasPages, Viewer } from './viewer/viewer.tsx';

const DocumentVersions = late(withLaterMessages(() => import('./versions/document-versions.tsx'))).Part;

const Notices = ({ document }: { readonly document: DocumentOf }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  return (
    <Stack gap="xs" mb={document.error !== null || document.needs_attention || document.source_removed_at !== null ? 'md' : 0}>
      {document.error !== null && (
        <Alert color="red" title={t('document.failed')} className="stranger">
          <CodeMessage namespace="failures" code={document.error.code} message={document.error.message} />
        </Alert>
      )}
      {document.needs_attention && <Alert color="yellow">{t('document.attention')}</Alert>}
      {document.source_removed_at !== null && (
        <Alert color="gray">{t('document.sourceRemoved', { when: format.dateTime(document.source_removed_at) })}</Alert>
      )}
    </Stack>
  );
};

const { Part: SimilarDocuments } = late(withLaterMessages(() => import('./similar/similar-documents.tsx')));

/** Of XML, e-invoices alone are documents. */
const XML = 'application/xml';
const PDF = 'application/pdf';

const SplitNote = late(withLaterMessages(() => import('./split/split-note.tsx'))).Part;

const DocumentSignatures = late(withLaterMessages(() => import('./document-signatures.tsx')));

const BackLink = ({ query }: { readonly query: string }): ReactNode => {
  const t = useTranslate();
  return (
    <Anchor
      component={Link}
      href={query === '' ? '/documents' : `/search?${new URLSearchParams({ q: query })}`}
      size="sm"
      mb="xs"
      style={{ display: 'inline-flex', alignItems: 'center', gap: 4 }}
    >
      <IconArrowLeft size={14} /> {query === '' ? t('document.back') : t('document.backToSearch')}
    </Anchor>
  );
};

/** To the documents before and behind this one in the list or search that it was opened from. */
const Walk = ({ id, query }: { readonly id: string; readonly query: string }): ReactNode => {
  const t = useTranslate();
  const [, navigate] = useLocation();
  const { previous, next } = neighboursOf(id);
  if (previous === undefined && next === undefined) return null;
  const go = (to: string | undefined) => () => {
    if (to !== undefined) navigate(`/documents/${to}${query === '' ? '' : `?${new URLSearchParams({ q: query })}`}`);
  };
  return (
    <Group gap={4} wrap="nowrap">
      <ActionIcon
        size="lg"
        variant="default"
        disabled={previous === undefined}
        onClick={go(previous)}
        aria-label={t('document.previousDocument')}
      >
        <IconChevronLeft size={18} />
      </ActionIcon>
      <ActionIcon size="lg" variant="default" disabled={next === undefined} onClick={go(next)} aria-label={t('document.nextDocument')}>
        <IconChevronRight size={18} />
      </ActionIcon>
    </Group>
  );
};

/** One document: what it looks like, what stands in it, and everything one can do with it. */
const Document = (): ReactNode => {
  const t = useTranslate();
  const { id } = useParams<{ id: string }>();
  const [state, change] = useAddressState(['page', 'q']);
  const [, navigate] = useLocation();
  const removeLater = useUndoableRemoval();
  const { show } = useHidden();
  const client = useQueryClient();
  const [isRetrying, setRetrying] = useState(false);
  const [highlight, setHighlight] = useState<Highlight>();
  const { data, error, refetch } = useCall('get /api/documents/{id}', { params: { id } });
  const { data: signed } = useCall('get /api/documents/{id}/signatures', { params: { id } }, { enabled: data?.mime_type === PDF });
  const mayDoWith = useMayDo();
  const mayDo = (action: Action): boolean => mayDoWith(action, data);
  const query = state.q ?? '';
  const page = pageOf(state);
  const goTo = (next: number): void => change({ page: String(next) }, { replace: true });

  if (error?.code === 'DOCUMENT_NOT_FOUND')
    return (
      <>
        <BackLink query={query} />
        <ScreenHeader title={t('document.document')} />
        <EmptyState icon={IconFileOff} title={t('document.gone')} hint={t('document.goneHint')} />
      </>
    );
  if (data === undefined)
    return (
      <>
        <BackLink query={query} />
        <ScreenHeader title={error === null ? '…' : t('document.document')} />
        {error === null ? <Skeleton height="60vh" radius="md" /> : <ProblemNote problem={error} onRetry={() => void refetch()} />}
      </>
    );

  const showFact = (place: Highlight): void => {
    goTo(place.page);
    setHighlight({ ...place });
  };
  const mayChange = mayDo('documents.update');
  /** What papers are filed by goes before their words where these can be seen on the pages. */
  const filing = (
    <>
      <DocumentFiling document={data} mayChange={mayChange} />
      <DocumentLabels document={data} mayChange={mayChange} />
      <DocumentFields key={id} document={data} mayChange={mayChange} />
      <FoundFacts document={data} mayChange={mayChange} onShow={hasPages(data) ? showFact : undefined} />
    </>
  );
  const remove = (): void => {
    const commit = async (): Promise<void> => {
      await call('delete /api/documents/{id}', { params: { id } });
      await refresh(client, ['get /api/documents', 'get /api/search']);
      show([id]); // it is gone from the lists by now
    };
    removeLater(id, t('document.removed', { title: data.title }), commit, () => navigate(`/documents/${id}`));
    navigate(query === '' ? '/documents' : `/search?${new URLSearchParams({ q: query })}`);
  };

  return (
    <>
      <BackLink query={query} />
      <DocumentTitle document={data} mayChange={mayChange}>
        <Walk id={id} query={query} />
        <StatusBadge status={data.status} />
        {hasPages(data) && data.mime_type !== XML ? <DownloadMenuButton key={`download ${id}`} id={id} /> : <DownloadButton id={id} />}
        {mayChange && hasEditablePages(data.mime_type) && (
          <Button component={Link} href={`/documents/${id}/pages`} variant="default" leftSection={<IconFileStack size={16} />}>
            {t('document.editPages')}
          </Button>
        )}
        {mayDo('documents.share') && <ShareButton key={id} id={id} title={data.title} />}
        {mayDo('ocr.update') && (
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} />}
            onClick={() => setRetrying(true)}
            disabled={data.status === 'processing'}
          >
            {t('document.readAgain')}
          </Button>
        )}
        {mayDo('documents.delete') && (
          <Button variant="default" c="red" leftSection={<IconTrash size={16} />} onClick={remove}>
            {t('document.remove')}
          </Button>
        )}
      </DocumentTitle>
      <Notices document={data} />
      {SERVICE_METADATA_KEYS.some((key) => key in data.metadata) && <SplitNote key={`split ${id}`} document={data} />}
      <Grid gap="md">
        {hasPages(data) && (
          <Grid.Col span={{ base: 12, lg: 7 }}>
            {data.mime_type === XML ? (
              <EinvoicePreview documentId={id} version={data.sha256} />
            ) : (
              <Viewer key={`${id} ${data.sha256}`} document={data} page={page} onPage={goTo} query={query} highlight={highlight} />
            )}
          </Grid.Col>
        )}
        <Grid.Col span={{ base: 12, lg: hasPages(data) ? 5 : 12 }}>
          <Stack gap="md">
            {signed !== undefined && signed.data.length > 0 && <DocumentSignatures.Part signatures={signed.data} />}
            {data.status === 'completed' && <SimilarDocuments key={`similar ${id}`} document={data} />}
            {data.has_einvoice && <DocumentEinvoice key={`einvoice ${id}`} documentId={id} />}
            {hasPages(data) && filing}
            <PageText
              documentId={id}
              page={page}
              onPage={goTo}
              query={query}
              isFollowing={hasPages(data)}
              isBeingRead={data.status === 'pending' || data.status === 'processing'}
            />
            <SimpleGrid cols={hasPages(data) ? 1 : { base: 1, md: 2 }} spacing="md">
              {!hasPages(data) && filing}
              <DocumentNotes documentId={id} mayChange={mayChange} />
              <DocumentMetadata document={data} mayChange={mayChange} />
              <DocumentFacts document={data} />
              <DocumentVersions key={`versions ${id}`} documentId={id} mayChange={mayChange} />
              <DocumentHistory documentId={id} />
            </SimpleGrid>
          </Stack>
        </Grid.Col>
      </Grid>
      {isRetrying && <RetryForm document={data} onClose={() => setRetrying(false)} />}
    </>
  );
};
export default Document;

/** An XML invoice as it is read: the service makes a page of it in which nothing runs. */
const EinvoicePreview = ({ documentId, version }: { readonly documentId: string; readonly version: string }): ReactNode => {
  const t = useTranslate();
  const address = useEinvoiceAddress(documentId);
  return (
    <iframe
      key={version}
      src={address}
      title={t('einvoice.view')}
      sandbox=""
      style={{ width: '100%', height: '80vh', border: '1px solid var(--mantine-color-default-border)', borderRadius: 6 }}
    />
  );
};
