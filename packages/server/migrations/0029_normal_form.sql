set local lock_timeout = '5s';

-- Customers are found by the normal form of their ids. Ids that were stored before ids had one are brought into it, as far as letter
-- case goes; of several limits that become one, the one in normal form counts, else the lowest, and the others are deleted.
-- Forced row-level security binds the owner too, in whose name this runs: it would see no rows.
alter table customer_limits no force row level security;
delete from customer_limits c using customer_limits o
 where o.org_id = c.org_id and lower(o.customer_id) = lower(c.customer_id) and o.id <> c.id
   and (o.customer_id <> lower(o.customer_id), o.amount is null, coalesce(o.amount, 0), o.id)
     < (c.customer_id <> lower(c.customer_id), c.amount is null, coalesce(c.amount, 0), c.id);
update customer_limits set customer_id = lower(customer_id) where customer_id <> lower(customer_id);
alter table customer_limits force row level security;
update packs set owner = lower(owner) where owner <> lower(owner);
