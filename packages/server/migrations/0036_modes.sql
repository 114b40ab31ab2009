set local lock_timeout = '5s';

-- What is asked of calls beside their word: that they start as runs, and come with their input and their action.
alter table trust_settings
  add column start_only boolean not null default false,
  add column input_required boolean not null default false,
  add column action_required boolean not null default false;
