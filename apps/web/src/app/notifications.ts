// loaded after the first screen
export { Notifications as default } from '@mantine/notifications';
