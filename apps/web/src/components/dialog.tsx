import { Button, Group, Modal, type ModalProps, Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useId, useLayoutEffect, useSyncExternalStore } from 'react';
import type { Problem } from '../interface/problem.ts';
import { useTranslate } from '../language/language.tsx';
import { ProblemNote } from './problem-note.tsx';

interface FormButtonsProps {
  /** What the button that sends the form says. */
  readonly submit: string;
  readonly isBusy: boolean;
  readonly isIncomplete?: boolean;
  readonly onClose: () => void;
}

/** The end of a form in a dialog: leave it, or send it. */
export const FormButtons = ({ submit, isBusy, isIncomplete = false, onClose }: FormButtonsProps): ReactNode => {
  const t = useTranslate();
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onClose}>
        {t('common.cancel')}
      </Button>
      <Button type="submit" loading={isBusy} disabled={isIncomplete}>
        {submit}
      </Button>
    </Group>
  );
};

interface SaveProps {
  readonly label: string;
  /** What it says once that is done. */
  readonly saved: string;
  readonly change: { readonly isPending: boolean; readonly isSuccess: boolean };
}

/** The end of a form that stays: saves it, and says so. */
export const SaveButton = ({ label, saved, change: { isPending, isSuccess } }: SaveProps): ReactNode => (
  <Group>
    <Button type="submit" loading={isPending}>
      {label}
    </Button>
    <Text size="sm" c="dimmed" role="status">
      {isSuccess ? saved : ''}
    </Text>
  </Group>
);

/** Its head is none of the page. */
const NO_LANDMARK = { header: { role: 'presentation' } };

/** Those that are open, the topmost last. */
let open: readonly string[] = [];
const watchers = new Set<() => void>();
const setOpen = (ids: readonly string[]): void => {
  open = ids;
  for (const watcher of watchers) watcher();
};
const subscribe = (watcher: () => void): (() => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

/** Mantine's own layer of modals. */
const LOWEST_LAYER = 200;

/** How many are below this one, and whether none is above it. */
const usePlace = (isOpen: boolean): { readonly below: number; readonly isTopmost: boolean } => {
  const id = useId();
  useEffect(() => {
    if (!isOpen) return;
    setOpen([...open, id]);
    return () => setOpen(open.filter((one) => one !== id));
  }, [isOpen, id]);
  const ids = useSyncExternalStore(subscribe, () => open);
  return { below: Math.max(0, ids.indexOf(id)), isTopmost: ids.at(-1) === id };
};

/** A window above the screen, with all that those need who hear it. Escape is for the topmost alone: what is typed in one below it stays. */
export const Dialog = ({ closeOnEscape = true, ...props }: ModalProps): ReactNode => {
  const t = useTranslate();
  const { below, isTopmost } = usePlace(props.opened);
  useReturnFocus(props.opened);
  return (
    <Modal
      closeButtonProps={{ 'aria-label': t('common.close') }}
      classNames={{ title: 'stranger' }}
      attributes={NO_LANDMARK}
      closeOnEscape={closeOnEscape && isTopmost}
      // what opened last is above, not what was made last: some wait in the page, closed, from the beginning
      zIndex={LOWEST_LAYER + below}
      {...props}
    />
  );
};

/** Where the focus was: the element that had it, then those around it. */
type Place = readonly Element[];

const FOCUSABLE = 'a[href], button, input, select, textarea, [tabindex="0"]';
/** Mantine renders each dialog into one: what is around it tells nothing of where the focus was. */
const PORTAL = '[data-portal]';

/** Of each dialog that is open, the place from which it was opened, the topmost last. */
let openPlaces: readonly Place[] = [];
/** Of the dialog that closes just now: one that opens in its place returns the focus to where this one would. */
let closingPlace: Place | undefined;

const placeOf = (element: Element | null): Place => {
  const place: Element[] = [];
  for (let at = element; at !== null && at !== document.body && !at.matches(PORTAL); at = at.parentElement) place.push(at);
  return place;
};

/** Where the focus is, and behind that where the dialog below was opened, which may close before the one above. */
const presentPlace = (): Place => {
  const place = placeOf(document.activeElement);
  return [...place, ...(place.length === 0 && closingPlace !== undefined ? closingPlace : (openPlaces.at(-1) ?? []))];
};

/** Focuses the element of a place, or what is next to it where it is gone or disabled. */
const focusAt = (place: Place): void => {
  for (const element of place)
    for (const candidate of element.isConnected ? [element, ...element.querySelectorAll(FOCUSABLE)] : []) {
      (candidate as HTMLElement).focus({ preventScroll: true });
      if (document.activeElement === candidate) return;
    }
};

/** Returns the focus to where it was before a dialog opened. Mantine does so only for dialogs that stay mounted when they close. */
const useReturnFocus = (isOpen: boolean): void => {
  useLayoutEffect(() => {
    if (!isOpen) return;
    const place = presentPlace();
    closingPlace = undefined;
    openPlaces = [...openPlaces, place];
    return () => {
      openPlaces = openPlaces.filter((one) => one !== place);
      closingPlace = place;
      // once the dialog is gone from the page, and nothing else has taken its place or the focus
      queueMicrotask(() => {
        if (closingPlace !== place) return;
        closingPlace = undefined;
        if (document.activeElement === null || document.activeElement === document.body) focusAt(place);
      });
    };
  }, [isOpen]);
};

interface FormDialogProps {
  readonly title: string;
  /** What sends the form. */
  readonly change: { readonly error: Problem | null; readonly isPending: boolean };
  /** What the button that sends the form says. */
  readonly submit: string;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A form in a dialog, whose fields say themselves what is wrong with them: any other problem stands above them. */
export const FormDialog = ({ title, change: { error, isPending }, submit, onSubmit, onClose, children }: FormDialogProps): ReactNode => {
  const send = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Dialog opened onClose={onClose} title={title}>
      <form onSubmit={send}>
        <Stack gap="md">
          {error?.issues.length === 0 && <ProblemNote problem={error} />}
          {children}
          <FormButtons submit={submit} isBusy={isPending} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
};
