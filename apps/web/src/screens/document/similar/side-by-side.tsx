import { ActionIcon, Button, Group, Stack, Text } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { ProblemNote } from '../../../components/problem-note.tsx';
import { useFormat, useTranslate } from '../../../language/language.tsx';
import type { Document } from '../document-facts.tsx';
import { ComparedFacts } from './compared-facts.tsx';
import { ComparedPage } from './compared-page.tsx';
import './side-by-side.css';
import { usePairActions } from './use-pair-actions.ts';

interface Props {
  /** Whose screen this is. */
  readonly shown: Document;
  readonly other: Document;
  readonly similarity: number;
  readonly onClose: () => void;
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, PageUp: -1, ArrowRight: 1, PageDown: 1 };

/** Two near-duplicates beside each other, page by page, to decide what becomes of them. */
const SideBySide = ({ shown, other, similarity, onClose }: Props): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const actions = usePairActions(shown, other);
  const [page, setPage] = useState(1);
  const count = Math.max(1, shown.page_count ?? 1, other.page_count ?? 1);
  const goTo = (next: number): void => setPage(Math.min(count, Math.max(1, next)));
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    goTo(page + step);
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      onKeyDown={onKeyDown}
      fullScreen
      title={t('similar.compareTitle', { percent: format.percent(similarity) })}
    >
      <Stack gap="md" className="pair">
        <ProblemNote problem={actions.problem} />
        <ComparedFacts documents={[shown, other]} shownId={shown.id} actions={actions} />
        <Group justify="space-between" gap="sm" className="pair-toolbar">
          <Group gap="xs" wrap="nowrap">
            <ActionIcon
              variant="default"
              size="lg"
              disabled={page === 1}
              onClick={() => goTo(page - 1)}
              aria-label={t('document.previous')}
            >
              <IconChevronLeft size={18} />
            </ActionIcon>
            <Text size="sm" role="status">
              {t('document.page', { page: format.number(page), total: format.number(count) })}
            </Text>
            <ActionIcon
              variant="default"
              size="lg"
              disabled={page === count}
              onClick={() => goTo(page + 1)}
              aria-label={t('document.next')}
            >
              <IconChevronRight size={18} />
            </ActionIcon>
          </Group>
          {actions.mayDismiss && (
            <Button variant="default" size="compact-sm" loading={actions.isDismissing} onClick={actions.dismiss}>
              {t('similar.notDuplicate')}
            </Button>
          )}
        </Group>
        <div className="pair-pages">
          {[shown, other].map((document) => (
            <ComparedPage key={`${document.id} ${page}`} document={document} page={page} />
          ))}
        </div>
      </Stack>
    </Dialog>
  );
};
export default SideBySide;
