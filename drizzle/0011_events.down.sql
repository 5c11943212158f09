drop table alerts, deliveries, user_settings;
drop index events_unnumbered;
alter table events drop column seq;
alter table events rename column id to seq;
