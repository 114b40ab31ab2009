set local lock_timeout = '5s';

-- Slack users who are members. Each member has one, and each user is one member.
create table slack_links (
  org_id uuid not null references slack_apps (org_id) on delete cascade,
  id uuid not null,
  member_id uuid not null,
  slack_team_id text not null,
  slack_user_id text not null,
  slack_user_name text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (org_id, id),
  unique (org_id, member_id),
  unique (org_id, slack_team_id, slack_user_id),
  foreign key (org_id, member_id) references memberships (org_id, id) on delete cascade
);
create index slack_links_created on slack_links (org_id, created_at, id);
call protect_tenant_table('slack_links');
grant select, insert, update, delete on slack_links to weir_app;

-- Offers to link a Slack user, each shown to that user alone and taken once, by a member with the user's own address.
create table slack_link_offers (
  org_id uuid not null references slack_apps (org_id) on delete cascade,
  digest bytea not null,
  slack_team_id text not null,
  slack_user_id text not null,
  slack_user_name text not null,
  email_key text not null,
  expires_at timestamptz not null,
  primary key (org_id, digest),
  unique (org_id, slack_team_id, slack_user_id)
);
create index slack_link_offers_expires on slack_link_offers (expires_at);
call protect_tenant_table('slack_link_offers');
grant select, insert, update, delete on slack_link_offers to weir_app;
create policy pruning on slack_link_offers for all to current_user using (true);
insert into pruned_rows values ('slack_link_offers', $$t.expires_at < clock_timestamp()$$);
