import { ActionIcon, Alert, Badge, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconCheck, IconFocusCentered } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { ProblemNote } from '../../components/problem-note.tsx';
import { DocumentSection } from '../../components/screen-parts.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import { type Answer, type Operation, useCall, useChange } from '../../interface/call.ts';
import { useFormat, useLanguage, useTranslate } from '../../language/language.tsx';
import { kindName, ocrLanguageName } from '../../language/names.ts';
import type { Highlight } from './viewer/page-list.tsx';

export type Document = Answer<'get /api/documents/{id}'>;

const NamedFact = ({
  name,
  children,
  isWide = false,
}: {
  readonly name: string;
  readonly children: ReactNode;
  readonly isWide?: boolean;
}): ReactNode => (
  <Stack gap={0} style={isWide ? { gridColumn: '1 / -1' } : undefined}>
    <Text size="xs" c="dimmed" component="dt">
      {name}
    </Text>
    <Text size="sm" component="dd" m={0} className="stranger">
      {children}
    </Text>
  </Stack>
);

const languageNames = (codes: string, tag: string): string =>
  new Intl.ListFormat(tag).format(
    codes
      .replace(/^auto:/, '')
      .split(/[+,]/)
      .map((code) => ocrLanguageName(code, tag)),
  );

/** What the service knows of a document. */
export const DocumentFacts = ({ document }: { readonly document: Document }): ReactNode => {
  const t = useTranslate();
  const language = useLanguage();
  const format = useFormat();
  return (
    <DocumentSection title={t('document.details')}>
      <SimpleGrid component="dl" cols={2} spacing="sm" m={0}>
        <NamedFact name={t('document.filename')} isWide>
          {document.filename}
        </NamedFact>
        <NamedFact name={t('document.kind')}>{kindName(document.mime_type)}</NamedFact>
        <NamedFact name={t('document.size')}>{format.bytes(document.size)}</NamedFact>
        {document.page_count !== null && <NamedFact name={t('document.pages')}>{format.number(document.page_count)}</NamedFact>}
        {document.ocr_confidence !== null && (
          <NamedFact name={t('document.confidence')}>{format.percent(document.ocr_confidence)}</NamedFact>
        )}
        {document.language !== null && <NamedFact name={t('document.language')}>{ocrLanguageName(document.language, language)}</NamedFact>}
        <NamedFact name={t('document.ocrLanguage')}>
          {document.ocr_language === 'auto' ? t('ocrLanguages.auto') : languageNames(document.ocr_language, language)}
        </NamedFact>
        <NamedFact name={t('document.came')}>{t(`routes.${document.source}`)}</NamedFact>
        <NamedFact name={t('document.created')}>{format.dateTime(document.created_at)}</NamedFact>
        <NamedFact name={t('document.updated')}>{format.dateTime(document.updated_at)}</NamedFact>
        <NamedFact name={t('document.sha256')} isWide>
          {document.sha256}
        </NamedFact>
      </SimpleGrid>
      {document.missing_language !== null && (
        <Alert color="yellow" mt="sm">
          {t('document.missingLanguage', {
            language: ocrLanguageName(document.missing_language, language),
            command: `./setup --languages ${document.missing_language}`,
          })}
        </Alert>
      )}
    </DocumentSection>
  );
};

type Fact = Answer<'get /api/documents/{id}/facts'>['facts'][number];

const SHOWS_FACTS: readonly Operation[] = ['get /api/documents/{id}/facts', 'get /api/documents/{id}', 'get /api/documents'];

const SURE = { certain: 0.9, likely: 0.6 };
/** So many of the other values are shown at once. */
const FEW = 2;

const DAYS: ReadonlySet<string> = new Set(['document_date', 'due_date', 'service_date']);

/** How much a fact can be relied on, in words. */
const sureness = ({ confidence, is_ambiguous: isAmbiguous, is_confirmed: isConfirmed }: Fact) => {
  if (isConfirmed) return { key: 'document.factConfirmed', color: 'green' } as const;
  if (isAmbiguous) return { key: 'document.factAmbiguous', color: 'orange' } as const;
  if (confidence >= SURE.certain) return { key: 'document.factCertain', color: 'teal' } as const;
  return confidence >= SURE.likely
    ? ({ key: 'document.factLikely', color: 'blue' } as const)
    : ({ key: 'document.factUnsure', color: 'gray' } as const);
};

const useFactText = (): ((fact: Fact) => string) => {
  const format = useFormat();
  // of the reader's own day, wherever they are: without a time it would begin in London
  return ({ kind, value }) => (DAYS.has(kind) ? format.date(`${value}T00:00`) : value);
};

interface Props {
  readonly document: Document;
  readonly mayChange: boolean;
  /** Shows a part of a page; undefined where no pages are shown. */
  readonly onShow: ((place: Highlight) => void) | undefined;
}

const ShowButton = ({ fact, onShow }: { readonly fact: Fact } & Pick<Props, 'onShow'>): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const textOf = useFactText();
  const { page, box } = fact;
  if (onShow === undefined || page === null || box === null) return null;
  return (
    <ActionIcon
      variant="subtle"
      aria-label={t('document.showFact', { value: textOf(fact), page: format.number(page) })}
      onClick={() => onShow({ page, ...box })}
    >
      <IconFocusCentered size={16} />
    </ActionIcon>
  );
};

/** What counts of one kind, and what else it could be. */
const FactsOfKind = ({ facts, document, mayChange, onShow }: { readonly facts: readonly Fact[] } & Props): ReactNode => {
  const t = useTranslate();
  const textOf = useFactText();
  const [isOpen, setOpen] = useState(false);
  const choose = useChange('post /api/documents/{id}/facts/{fact_id}/choose', SHOWS_FACTS);
  const best = facts.find((fact) => fact.is_chosen) ?? facts[0];
  if (best === undefined) return null;
  const others = facts.filter((fact) => fact !== best);
  const { key, color } = sureness(best);
  const take = (fact: Fact): void => choose.mutate({ params: { id: document.id, fact_id: fact.id } });
  return (
    <Stack gap={2} component="li">
      <SmallNote>{t(`factKinds.${best.kind}`)}</SmallNote>
      <Group gap="xs" wrap="nowrap">
        <Text size="sm" className="stranger" style={{ overflowWrap: 'anywhere' }}>
          {textOf(best)}
        </Text>
        <Badge variant="light" color={color} style={{ flex: 'none' }}>
          {t(key)}
        </Badge>
        <ShowButton fact={best} onShow={onShow} />
        {mayChange && !best.is_confirmed && (
          <ActionIcon
            variant="subtle"
            color="green"
            aria-label={t('document.confirmFact', { value: textOf(best) })}
            loading={choose.isPending}
            onClick={() => take(best)}
          >
            <IconCheck size={16} />
          </ActionIcon>
        )}
      </Group>
      {mayChange && others.length > 0 && (
        <Group gap={4}>
          {(isOpen ? others : others.slice(0, FEW)).map((fact) => (
            <Group key={fact.id} gap={0} wrap="nowrap">
              <Button
                variant="default"
                size="compact-xs"
                aria-label={t('document.chooseFact', { value: textOf(fact) })}
                disabled={choose.isPending}
                onClick={() => take(fact)}
              >
                <span className="stranger">{textOf(fact)}</span>
              </Button>
              <ShowButton fact={fact} onShow={onShow} />
            </Group>
          ))}
          {!isOpen && others.length > FEW && (
            <Button variant="subtle" size="compact-xs" onClick={() => setOpen(true)}>
              {t('document.moreFacts', { count: others.length - FEW })}
            </Button>
          )}
        </Group>
      )}
      <ProblemNote problem={choose.error} />
    </Stack>
  );
};

/** What the document states, as far as it was found: to be looked at on its page, confirmed, or chosen otherwise. */
export const FoundFacts = (props: Props): ReactNode => {
  const t = useTranslate();
  const { data, error, refetch } = useCall('get /api/documents/{id}/facts', { params: { id: props.document.id } });
  const kinds = Map.groupBy(data?.facts ?? [], ({ kind }) => kind);
  if (error === null && kinds.size === 0) return null;
  return (
    <DocumentSection title={t('document.facts')}>
      {error !== null && <ProblemNote problem={error} onRetry={() => void refetch()} />}
      <Stack gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {[...kinds].map(([kind, facts]) => (
          <FactsOfKind key={kind} facts={facts} {...props} />
        ))}
      </Stack>
    </DocumentSection>
  );
};
