set local lock_timeout = '5s';

-- Addresses outside of an organization's proved domains to which it wants mail sent. They get nothing but a code, until whoever reads it has
-- let the organization have it.
create table mail_addresses (
  org_id uuid not null,
  address text not null,
  -- From when a mail with a code is to be sent; null when none is.
  due_at timestamptz,
  -- SHA-256 of the code that was sent last; null once it is used.
  code_digest bytea check (length(code_digest) = 32),
  mails integer not null default 0 check (mails >= 0),
  mailed_at timestamptz,
  confirmed_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  primary key (org_id, address)
);
create index mail_addresses_due on mail_addresses (due_at) where due_at is not null;
call protect_tenant_table('mail_addresses');
create policy due on mail_addresses for select to current_user using (true);
grant select, insert, update on mail_addresses to weir_app;
-- What nobody has confirmed is forgotten; what somebody has, stays.
create index mail_addresses_unconfirmed on mail_addresses (created_at) where confirmed_at is null;
create policy pruning on mail_addresses for all to current_user using (true);
insert into pruned_rows values ('mail_addresses', $$t.confirmed_at is null and t.created_at < clock_timestamp() - interval '90 days'$$);

create function orgs_with_due_mail_codes(most integer) returns setof uuid
  language sql stable security definer set search_path = public
  begin atomic
    select distinct d.org_id
      from (select m.org_id from mail_addresses m where m.due_at <= clock_timestamp() order by m.due_at limit most) d;
  end;
revoke execute on function orgs_with_due_mail_codes(integer) from public;
grant execute on function orgs_with_due_mail_codes(integer) to weir_app;

-- Mail of the current hour: messages of a subscription, and what an organization sends to all recipients, under its own id.
create table mail_uses (
  org_id uuid not null,
  subject uuid not null,
  hour timestamptz not null,
  used bigint not null default 0 check (used >= 0),
  primary key (org_id, subject)
);
call protect_tenant_table('mail_uses');
grant select, insert, update, delete on mail_uses to weir_app;
