import { notifications } from '@mantine/notifications';
import type { Action } from '@sheaf/vocabulary/permissions';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FilingKind } from '../../components/filing-kinds.ts';
import { useHidden, useUndoable } from '../../components/undo.tsx';
import { useNotifyProblem } from '../../components/use-notify-problem.ts';
import { type Arguments, addressOf, call, refresh } from '../../interface/call.ts';
import { useTranslate } from '../../language/language.tsx';
import { reachesAll } from '../../session/may.ts';
import { useMe, useSession } from '../../session/session.tsx';
import type { DocumentWindow } from './document-window.ts';
import { bulkFilterOf, type ListState, queryOf } from './list-state.ts';
import type { Selection } from './use-row-selection.ts';

type Chosen = Arguments<'post /api/documents/bulk-download/tickets'>['body'];

/** Has the browser save a ZIP of the documents, as it comes: what a page fetches by itself would have to fit into memory first. */
const downloadDocuments = async (chosen: Chosen): Promise<void> => {
  const { ticket } = await call('post /api/documents/bulk-download/tickets', { body: chosen });
  const link = document.createElement('a');
  link.href = addressOf('/api/documents/bulk-download/{ticket}', { params: { ticket } });
  link.download = '';
  link.click();
};

type Body = Arguments<'post /api/documents/bulk'>['body'];
type Target = Pick<Body, 'ids' | 'filter' | 'confirm'>;

/** Who deletes more types their number, as there is no way back from a wrong key. */
const MOST_UNASKED = 20;
/** Of one request. */
const MOST_IDS = 1_000;

const targetsOf = (selection: Selection, state: ListState): readonly Target[] => {
  if (selection.isAll) return [{ filter: bulkFilterOf(state) }];
  const ids = [...selection.ids];
  return Array.from({ length: Math.ceil(ids.length / MOST_IDS) }, (_, part) => ({
    ids: ids.slice(part * MOST_IDS, (part + 1) * MOST_IDS),
  }));
};

/** Everything that fits the filters now, but not what comes in before it is deleted: nobody has seen that. */
const allUntilNow = async (state: ListState, confirm: number): Promise<readonly Target[]> => {
  const query = { ...queryOf(state), sort: 'created_at', order: 'desc', page: 1, per_page: 1 } as const;
  const [newest] = (await call('get /api/documents', { query })).data;
  if (newest === undefined) return [];
  // the time that is told has no microseconds
  return [{ filter: { ...bulkFilterOf(state), date_to: new Date(Date.parse(newest.created_at) + 1).toISOString() }, confirm }];
};

export interface BulkActions {
  readonly download: () => void;
  readonly downloadSearchable: () => void;
  /** All documents of the list are being deleted. */
  readonly isAllGoing: boolean;
  // each undefined where they may not do it with all of them
  readonly label: ((action: 'add_labels' | 'remove_labels', labels: readonly string[]) => void) | undefined;
  readonly file: ((kind: FilingKind, id: string) => void) | undefined;
  readonly runOcrAgain: ((language: string | undefined) => void) | undefined;
  readonly remove: (() => void) | undefined;
  /** The question that is open before many are deleted. */
  readonly removal: Removal | undefined;
}

export interface Removal {
  readonly count: number;
  readonly confirm: () => void;
  readonly cancel: () => void;
}

/** Does something with all documents that are selected. */
export const useBulkActions = (
  selection: Selection,
  state: ListState,
  { total = 0, owners: ownersOfAll }: Pick<DocumentWindow, 'total' | 'owners'>,
): BulkActions => {
  const t = useTranslate();
  const notifyProblem = useNotifyProblem();
  const undoable = useUndoable();
  const client = useQueryClient();
  const { hide, show } = useHidden();
  const [isAllGoing, setAllGoing] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const { may, reach } = useSession();
  const me = useMe();
  const owners = selection.isAll ? ownersOfAll : selection.owners;
  const mayOnAll = (action: Action): boolean => reachesAll(reach(action), owners, me.id);
  const count = selection.isAll ? total : selection.ids.size;

  const run = async (targets: readonly Target[], rest: Omit<Body, 'ids' | 'filter'>): Promise<void> => {
    for (const target of targets) await call('post /api/documents/bulk', { body: { ...target, ...rest } });
    await refresh(client, [
      'get /api/documents',
      'get /api/labels',
      'get /api/correspondents',
      'get /api/document-types',
      'get /api/ocr/queue',
    ]);
  };
  const label: BulkActions['label'] = (action, labels) => {
    run(targetsOf(selection, state), { action, labels: [...labels] }).catch(notifyProblem);
  };
  const file: BulkActions['file'] = (kind, id) => {
    const rest =
      kind === 'correspondent'
        ? ({ action: 'set_correspondent', correspondent_id: id } as const)
        : ({ action: 'set_document_type', document_type_id: id } as const);
    run(targetsOf(selection, state), rest).catch(notifyProblem);
  };
  const runOcrAgain = (language: string | undefined): void => {
    run(targetsOf(selection, state), { action: 'retry_ocr', ...(language === undefined ? {} : { language }) })
      .then(() => notifications.show({ message: t('documents.readingAgain', { count: count }) }))
      .catch(notifyProblem);
  };
  const download = async (as: 'original' | 'searchable'): Promise<void> => {
    for (const { ids, filter } of targetsOf(selection, state)) await downloadDocuments(ids === undefined ? { filter, as } : { ids, as });
    notifications.show({ message: t('documents.downloading', { count: count }) });
  };
  const remove = (): void => {
    const targets = selection.isAll ? allUntilNow(state, count) : Promise.resolve(targetsOf(selection, state));
    targets.catch(() => undefined); // told when it is needed
    const ids = [...selection.ids];
    const restore = (): void => {
      show(ids);
      setAllGoing(false);
    };
    hide(ids);
    setAllGoing(selection.isAll);
    selection.clear();
    undoable({
      message: t('documents.removed', { count: count }),
      commit: async () => {
        await run(await targets, { action: 'delete' });
        restore(); // they are gone from the list by now
      },
      restore,
    });
  };
  return {
    download: () => void download('original').catch(notifyProblem),
    downloadSearchable: () => void download('searchable').catch(notifyProblem),
    isAllGoing,
    label: mayOnAll('documents.update') ? label : undefined,
    file: mayOnAll('documents.update') && may('labels.read') ? file : undefined,
    runOcrAgain: mayOnAll('ocr.update') ? runOcrAgain : undefined,
    remove: mayOnAll('documents.delete') ? () => (count > MOST_UNASKED ? setAsking(true) : remove()) : undefined,
    removal: isAsking
      ? {
          count,
          confirm: () => {
            setAsking(false);
            remove();
          },
          cancel: () => setAsking(false),
        }
      : undefined,
  };
};
